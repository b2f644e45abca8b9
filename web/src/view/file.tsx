/** The file: the editor, and what was found in its lines. */

import { useEffect, useRef } from "preact/hooks";

import type { Finding } from "../core";
import type { Page } from "../page";
import { ROUTE } from "../service";
import { counted } from "../words";
import { Button, Icon, Literal } from "./bits";

export function FilePane({ page }: { page: Page }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current) page.mount(place.current);
  }, []);
  const { answer } = page.shown;
  return (
    <>
      <div class="pane-head">
        <h2>
          <Literal text={page.named.name} />
        </h2>
        <span class="below">
          {answer && sizeOf(answer.lineCount, answer.bytes, answer.bytesRead)}
        </span>
      </div>
      <div class="editor" ref={place} />
      <OnlyAddresses page={page} />
      <Findings page={page} />
    </>
  );
}

/** What to do with a URL in place of a file. */
function OnlyAddresses({ page }: { page: Page }) {
  const { answer } = page.shown;
  if (!answer?.addresses) return null;
  const { urls, file } = answer.addresses;
  return (
    <div class="addresses" role="status">
      <p>
        {urls.length === 1 ? "This is a URL" : "These are URLs"}, not a robots.txt file
        {ROUTE === null ? ", and this page fetches nothing. Open " : ". Load "}
        <a href={file} target="_blank" rel="noopener noreferrer">
          <Literal text={file} />
        </a>
        {ROUTE === null && ", and copy its text to here, or save it and open the file"}.
      </p>
      {ROUTE !== null && (
        <Button label="Load from site" onClick={() => void page.openSite(ROUTE!, file)} />
      )}
      <Button
        label={`Ask about ${urls.length === 1 ? "this URL" : "these URLs"}`}
        onClick={() => page.askAbout(urls)}
      />
    </div>
  );
}

function sizeOf(lines: number, bytes: number, read: number): string {
  const size = `${counted(lines, "line")}, ${counted(bytes, "byte")}`;
  return read < bytes ? `${size}, of which the first ${read.toLocaleString("en")} are read` : size;
}

function Findings({ page }: { page: Page }) {
  const { answer } = page.shown;
  if (!answer) return null;
  const { findings, findingCount } = answer;
  if (findingCount === 0) {
    return (
      <p class="findings none">
        <Icon name="allowed" />{" "}
        {answer.bytes === 0
          ? "The file is empty: nothing is disallowed."
          : "Every line is read as written."}
      </p>
    );
  }
  return (
    <details class="findings" open>
      <summary>
        <Tally findings={findings} count={findingCount} />
      </summary>
      <ul>
        {findings.map((finding) => (
          <li key={`${finding.line} ${finding.code}`}>
            <button type="button" onClick={() => page.goTo(finding.line)}>
              <Icon name={finding.severity} />
              <span class="unseen">{finding.severity}, line</span>
              <span class="number">{finding.line}</span>
              <span class="message">
                <Message text={finding.message} /> <span class="below">{finding.code}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Tally({ findings, count }: { findings: readonly Finding[]; count: number }) {
  if (count > findings.length)
    return (
      <>
        {counted(count, "finding")}; the first {findings.length}
      </>
    );
  const severities = ["error", "warning", "note"] as const;
  return (
    <>
      {severities.map((severity) => {
        const number = findings.filter((each) => each.severity === severity).length;
        if (number === 0) return null;
        return (
          <span class={`tally ${severity}`}>
            <Icon name={severity} /> {counted(number, severity)}
          </span>
        );
      })}
    </>
  );
}

/** Words between backticks are literals. */
export function Message({ text }: { text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
