/** The whole page: its head, three panes, and what lies above them. */

import { useEffect, useReducer, useState } from "preact/hooks";

import type { Page } from "../page";
import type { Pane } from "../state";
import { AnswersPane, Tabs } from "./answers";
import { Button, Icon, Literal } from "./bits";
import { Dialogs } from "./dialogs";
import { FilePane } from "./file";
import { Header } from "./header";
import { Whom } from "./whom";

const PANES: { id: Pane; title: string }[] = [
  { id: "file", title: "File" },
  { id: "answers", title: "Answers" },
  { id: "whom", title: "For whom" },
];

export function App({ page }: { page: Page }) {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => page.store.subscribe(() => draw(null)), []);
  const { pane, notice } = page.shown;
  return (
    <div class="page" data-pane={pane}>
      <Header page={page} />
      {notice && (
        <div class={`notice ${notice.tone}`} role="status">
          <Icon name={notice.tone === "warning" ? "warning" : "note"} />
          <span>
            <Literal text={notice.text} />
          </span>
          {notice.actions?.map(({ label, does }) => (
            <Button
              label={label}
              kind="action"
              onClick={() => {
                page.store.set({ notice: null });
                does();
              }}
            />
          ))}
          <Button
            icon="close"
            label="Close"
            quiet
            onClick={() => page.store.set({ notice: null })}
          />
        </div>
      )}
      <nav class="panes-nav">
        <Tabs
          label="Panes"
          prefix="pane"
          tabs={PANES.map((each) => ({ ...each, badge: null }))}
          selected={pane}
          select={(id) => page.store.set({ pane: id as Pane })}
        />
      </nav>
      <main class="panes" id="pane-panel">
        <section class="pane pane-file" aria-label="The file">
          <FilePane page={page} />
        </section>
        <section class="pane pane-answers" aria-label="The answers">
          <AnswersPane page={page} />
        </section>
        <section class="pane pane-whom" aria-label="For whom">
          <div class="pane-head">
            <h2>For whom</h2>
          </div>
          <Whom page={page} />
        </section>
      </main>
      <Dialogs page={page} />
      <Drop page={page} />
    </div>
  );
}

/** Takes files that are dragged onto the page. */
function Drop({ page }: { page: Page }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const dropped = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      void page.openFile(file);
    };
    const own = new AbortController();
    const options = { signal: own.signal, capture: true };
    window.addEventListener("dragover", over, options);
    window.addEventListener("dragleave", left, options);
    window.addEventListener("drop", dropped, options);
    return () => own.abort();
  }, []);
  return isOver ? <div class="drop">Drop the file to open it</div> : null;
}
