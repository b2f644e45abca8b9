/** Records other than rules: what they say to a crawler, in words, and which of them changed. */

import type { Agent, ContentSignal, RequestRate, RobotsTxt, VisitTime } from "verger";

import type { RecordChange } from "./core";

/** The fields that speak to crawlers, as they are written. */
export const FIELDS = ["Crawl-delay", "Request-rate", "Visit-time", "Content-Signal"] as const;

export type Said = Record<(typeof FIELDS)[number], string | null>;

export const NOTHING_SAID: Said = {
  "Crawl-delay": null,
  "Request-rate": null,
  "Visit-time": null,
  "Content-Signal": null,
};

const DECIMAL = new Intl.NumberFormat("en", { useGrouping: false, maximumFractionDigits: 20 });

/** What a file says to a crawler; of several records, what counts. */
export function saidTo({ crawlDelay, requestRate, visitTime, contentSignals }: Agent): Said {
  return {
    "Crawl-delay": crawlDelay === null ? null : DECIMAL.format(crawlDelay),
    "Request-rate": requestRate && rateText(requestRate),
    "Visit-time": visitTime && windowText(visitTime),
    "Content-Signal": signalText(contentSignals),
  };
}

/** Whether the same is said; `1` and `1.0` are the same delay. */
export function isSame(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Number(one) === Number(other));
}

/** Whether a file has a record that speaks to crawlers. */
export function speaks(robots: RobotsTxt): boolean {
  const fields = FIELDS.map((field) => field.toLowerCase());
  return robots.records.some(({ field }) => fields.includes(field));
}

function rateText({ documents, seconds, window }: RequestRate): string {
  return `${documents}/${seconds}${window ? ` ${windowText(window)}` : ""}`;
}

function windowText({ start, end }: VisitTime): string {
  return `${clock(start)}-${clock(end)}`;
}

function clock(minute: number): string {
  const [hour, rest] = [Math.floor(minute / 60), minute % 60].map((each) =>
    String(each).padStart(2, "0"),
  );
  return `${hour}${rest}`;
}

function signalText({ search, aiInput, aiTrain, use }: ContentSignal): string | null {
  const said = Object.entries({ search, "ai-input": aiInput, "ai-train": aiTrain })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value ? "yes" : "no"}`);
  return [...said, ...(use === null ? [] : [`use=${use}`])].join(", ") || null;
}

/** The records of the whole file that one version has more often than the other: those that were
 * removed, then those that were added. */
export function recordChanges(old: RobotsTxt, robots: RobotsTxt): RecordChange[] {
  return [...moreIn(old, robots, false), ...moreIn(robots, old, true)];
}

function moreIn(robots: RobotsTxt, other: RobotsTxt, added: boolean): RecordChange[] {
  const left = new Map<string, number>();
  for (const record of ofFile(other)) left.set(keyOf(record), (left.get(keyOf(record)) ?? 0) + 1);
  return ofFile(robots).flatMap((record) => {
    const rest = (left.get(keyOf(record)) ?? 0) - 1;
    left.set(keyOf(record), rest);
    const { field, raw: value, line } = record;
    const written = robots.linesFrom(line - 1, line)[0]?.key ?? field;
    return rest < 0 ? [{ field, value, written, added, line }] : [];
  });
}

function ofFile(robots: RobotsTxt) {
  return robots.records.filter(({ scope }) => scope === "file");
}

function keyOf({ field, raw }: { field: string; raw: string }): string {
  return `${field}:${raw}`;
}
