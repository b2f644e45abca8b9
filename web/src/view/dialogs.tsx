/** Dialogs: commands, the link, the list of URLs, another version to compare with. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { commandsFor } from "../commands";
import type { Page } from "../page";
import { Button, Copy } from "./bits";

export function Dialogs({ page }: { page: Page }) {
  const { dialog } = page.shown;
  if (dialog === "commands") return <Commands page={page} />;
  if (dialog === "share") return <Share page={page} />;
  if (dialog === "urls") return <Urls page={page} />;
  if (dialog === "before") return <Before page={page} />;
  return null;
}

function Dialog(props: { page: Page; title: string; children: ComponentChildren }) {
  const { page, title, children } = props;
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => own.current?.showModal(), []);
  const close = () => page.store.set({ dialog: null });
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
      <p class="below">{link.length.toLocaleString("en")} characters</p>
    </Dialog>
  );
}

function Urls({ page }: { page: Page }) {
  const list = useRef<HTMLTextAreaElement>(null);
  const done = () => {
    page.setUrls(list.current?.value ?? "");
    page.store.set({ dialog: null });
  };
  return (
    <Dialog page={page} title="URLs">
      <label>
        One URL or path on each line
        <textarea
          ref={list}
          rows={14}
          spellcheck={false}
          defaultValue={page.asked.urls.join("\n")}
        />
      </label>
      <div class="tools">
        <Button label="Use these" kind="main" onClick={done} />
      </div>
    </Dialog>
  );
}

function Before({ page }: { page: Page }) {
  const text = useRef<HTMLTextAreaElement>(null);
  const done = () => {
    page.setBefore(text.current?.value ?? "");
    page.store.set({ dialog: null });
  };
  return (
    <Dialog page={page} title="The version to compare with">
      <label>
        Its text
        <textarea ref={text} rows={14} spellcheck={false} defaultValue={page.asked.before} />
      </label>
      <div class="tools">
        <Button label="Compare with this" kind="main" onClick={done} />
        <Button
          icon="open"
          label="Open a file"
          onClick={() => {
            page.store.set({ dialog: null });
            page.openBefore();
          }}
        />
      </div>
    </Dialog>
  );
}
