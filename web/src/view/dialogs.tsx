/** Dialogs: commands, the link, exports, the list of URLs, another version to compare with. */

import type { EditorView } from "@codemirror/view";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { commandsFor } from "../commands";
import { makePlainEditor } from "../editor";
import type { Page } from "../page";
import { counted } from "../words";
import { Button, Copy } from "./bits";

export function Dialogs({ page }: { page: Page }) {
  const { dialog } = page.shown;
  if (dialog === "commands") return <Commands page={page} />;
  if (dialog === "share") return <Share page={page} />;
  if (dialog === "export") return <Export page={page} />;
  if (dialog === "urls") return <Urls page={page} />;
  if (dialog === "before") return <Before page={page} />;
  return null;
}

function Dialog(props: { page: Page; title: string; children: ComponentChildren }) {
  const { page, title, children } = props;
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => own.current?.showModal(), []);
  const close = () => page.close();
  return (
    <dialog
      ref={own}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => event.target === own.current && own.current?.close()}
    >
      <div class="dialog">
        <div class="heading-row">
          <h2 id="dialog-title">{title}</h2>
          <Button icon="close" label="Close" quiet onClick={() => own.current?.close()} />
        </div>
        {children}
      </div>
    </dialog>
  );
}

function Commands({ page }: { page: Page }) {
  const { name } = page.named;
  const commands = commandsFor(name, page.asked, page.agent(), page.url());
  return (
    <Dialog page={page} title="In a terminal">
      <p>
        Checks with fixes, formatting, and edits that prove what they change are not in this page:
        they are commands of verger for Python, filled in here for this file. Export it first, as{" "}
        <code>{name}</code>.
      </p>
      <ul class="commands">
        {commands.map(({ does, line }) => (
          <li>
            <span>{does}</span>
            <div class="command">
              <code>{line}</code>
              <Copy text={line} />
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Share({ page }: { page: Page }) {
  const { link } = page.shown;
  return (
    <Dialog page={page} title="Share">
      <p>
        The link holds the file, the URLs and the crawlers. Its part after <code>#</code> is sent to
        no server: whoever opens it has all of it.
      </p>
      <div class="command">
        <input
          readOnly
          aria-label="Link"
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Copy text={link} label="Copy link" />
      </div>
      <p class="below">
        {counted(link.length, "character")}
        {link.length > SHORT_LINK &&
          ": mail and chat programs cut links that are this long. Export the file in its place, or try the link before you send it."}
      </p>
    </Dialog>
  );
}

/** The length that even old programs leave whole. */
const SHORT_LINK = 2_000;

function Export({ page }: { page: Page }) {
  const { exported } = page.shown;
  const { urls, agents } = page.asked;
  const { name } = page.named;
  return (
    <Dialog page={page} title="Export">
      <div class="choice">
        <Button label="The file" kind="main" onClick={() => page.export()} />
        <p>
          The text of the editor, as <code>{name}</code>.
        </p>
      </div>
      <div class="choice">
        <Button
          label="The table of answers"
          kind="main"
          disabled={exported !== null}
          onClick={() => void page.exportAnswers()}
        />
        <p>
          As <code>answers.csv</code>, for spreadsheets: {counted(urls.length, "URL")}, and for each
          of {counted(agents.length, "crawler")} the answer and the line that decides.
        </p>
      </div>
      <p class="below" role="status">
        {exported !== null && `${exported.toLocaleString("en")} of ${counted(urls.length, "URL")}…`}
      </p>
    </Dialog>
  );
}

function Urls({ page }: { page: Page }) {
  const list = useRef<EditorView>(null);
  const done = () => {
    page.close();
    page.setUrls(textIn(list));
  };
  return (
    <Dialog page={page} title="URLs">
      <LongText text={page.asked.urls.join("\n")} label="One URL or path on each line" own={list} />
      <div class="tools">
        <Button label="Use these" kind="main" onClick={done} />
      </div>
    </Dialog>
  );
}

function Before({ page }: { page: Page }) {
  const text = useRef<EditorView>(null);
  const done = () => {
    page.close();
    page.setBefore(textIn(text));
  };
  return (
    <Dialog page={page} title="The version to compare with">
      <LongText text={page.asked.before} label="Its text" own={text} />
      <div class="tools">
        <Button label="Compare with this" kind="main" onClick={done} />
        <Button
          icon="open"
          label="Open a file"
          onClick={() => {
            page.close();
            page.openBefore();
          }}
        />
      </div>
    </Dialog>
  );
}

interface LongTextProps {
  text: string;
  label: string;
  own: RefObject<EditorView | null>;
}

function LongText({ text, label, own }: LongTextProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const editor = makePlainEditor(place.current, text, label);
    own.current = editor;
    requestAnimationFrame(() => editor.focus()); // once the dialog is shown
    return () => editor.destroy();
  }, []);
  return (
    <div>
      <span aria-hidden="true">{label}</span>
      <div class="long-text" ref={place} />
    </div>
  );
}

function textIn({ current }: RefObject<EditorView | null>): string {
  return current?.state.doc.toString() ?? "";
}
