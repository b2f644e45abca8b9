// A parsed file.

// For `Symbol.dispose`, whatever libraries a user's own settings name.
/// <reference lib="esnext.disposable" preserve="true" />

import type { Source } from "#wasm";
import { Agent, isAllowed, keyOf } from "./agent.js";
import type { Decision } from "./decision.js";
import { type DerivedName, Dialect, dialectOf, type DialectName } from "./dialect.js";
import { asked } from "./errors.js";
import { expectOptions, expectText, expectWhole, wrongType } from "./expect.js";
import { Kept } from "./kept.js";
import { quoted } from "./plain.js";
import { count, inspectedAsText } from "./shown.js";
import { bytesOf, joined } from "./text.js";
import type { FileRecord, Finding, Group, Line, Standing, Token } from "./values.js";
import { frozen, read } from "./values.js";

/** How `parse` reads a file. */
export interface Parsing {
  /** How to read it, a name from `DIALECTS` or a `Dialect` of your own. By default, `rfc9309`. */
  readonly dialect?: DialectName | DerivedName | Dialect;
  /** The URL that was requested, before redirects; if given, decisions for other origins throw
   * `OutOfScope`. */
  readonly url?: string | null;
}

/**
 * Parse one robots.txt file. Never throws on content, whatever the bytes.
 *
 * @param body the bytes as received, in an ArrayBuffer or in any view of one, such as a Uint8Array or a
 * Buffer; or a text, which is encoded as UTF-8.
 * @param options the dialect, or an object.
 * @throws TypeError for a body that is neither bytes nor text, and for an unknown option; UnknownName for
 * an unknown dialect, InvalidTarget for a `url` without scheme and authority.
 */
export function parse(
  body: string | ArrayBuffer | ArrayBufferView,
  options: Parsing | DialectName | DerivedName | Dialect = {},
): RobotsTxt {
  const { dialect = "rfc9309", url = null } = parsingOf(options);
  if (url !== null) expectText("url", url);
  return new RobotsTxt(bodyOf(body), dialectOf(dialect), url);
}

function parsingOf(options: Parsing | DialectName | DerivedName | Dialect): Parsing {
  if (typeof options === "string" || options instanceof Dialect) return { dialect: options };
  expectOptions(options, ["dialect", "url"], "a dialect or an object");
  return options;
}

/** A copy of the bytes, which the caller may change, or the text. */
function bodyOf(body: unknown): string | Uint8Array {
  if (typeof body === "string") return body;
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  }
  // One of another realm, such as a frame, is no instance of this one's class.
  const isBuffer = Object.prototype.toString.call(body) === "[object ArrayBuffer]";
  if (isBuffer) return new Uint8Array(body as ArrayBuffer).slice();
  throw wrongType("body", "a string, an ArrayBuffer or a view of one, such as a Uint8Array", body);
}

interface Facts {
  readonly bytesRead: number;
  readonly truncated: boolean;
  readonly groups: number;
  readonly rules: number;
}

/** A record as the core writes it: its group is a place. */
type WrittenRecord = Omit<FileRecord, "group"> & { readonly group: number | null };

/**
 * One parsed robots.txt file, from `parse`. Every file has a meaning; `findings` reports what was
 * tolerated (RFC 9309 section 2.3.1.5).
 */
export class RobotsTxt {
  /** The dialect that it was read in. */
  readonly dialect: Dialect;
  /** The URL that it came from, as given; null if it is unknown. */
  readonly url: string | null;
  readonly #kept: Kept;
  readonly #groups: (Group | undefined)[] = [];
  #facts: Facts | undefined;
  #allGroups: readonly Group[] | undefined;
  #lines: readonly Line[] | undefined;
  #records: readonly FileRecord[] | undefined;
  #findings: readonly Finding[] | undefined;
  #sitemaps: readonly string[] | undefined;

  /** @internal */
  constructor(body: string | Uint8Array, dialect: Dialect, url: string | null) {
    this.dialect = dialect;
    this.url = url;
    this.#kept = new Kept(body, dialect, url);
  }

  /**
   * Whether the crawler may fetch the URL: the fast path of `decide`.
   *
   * @param url an absolute URL, or a path that begins with `/`. Its authority is checked only if
   * `parse` was given the file's URL.
   * @param token a product token, or an array of those of one crawler.
   * @throws InvalidTarget, InvalidProductToken, OutOfScope.
   */
  allowed(url: string, token: Token): boolean {
    if (typeof token !== "string") return this.agent(token).allowed(url);
    const tokens = [token];
    return isAllowed(this.#kept.rules(keyOf(tokens, false), tokens, false), url);
  }

  /** Decide one URL, with the line and the reason; see `allowed`. */
  decide(url: string, token: Token): Decision {
    return this.agent(token).decide(url);
  }

  /** Whether the crawler may fetch each of many URLs; see `allowed`. */
  allowedMany(urls: Iterable<string>, token: Token): boolean[] {
    return this.agent(token).allowedMany(urls);
  }

  /**
   * The rules of one crawler, to decide many URLs.
   *
   * @throws InvalidProductToken.
   */
  agent(token: Token): Agent {
    return new Agent(this, this.#kept, token);
  }

  /** @internal The rules of a crawler that follows whose groups its operator says. */
  _agentByOperator(token: Token): Agent {
    return new Agent(this, this.#kept, token, true);
  }

  /** @internal The names in its start-group lines. */
  _names(): readonly string[] {
    return frozen(read<string[]>(this.#kept.source.names()));
  }

  /** @internal Its start-group lines, each with the name that it begins with. */
  _startNames(): readonly (readonly [number, string])[] {
    return frozen(read<[number, string][]>(this.#kept.source.start_names()));
  }

  /** @internal Crawlers by what the file means for them. */
  _standings(tokens: readonly string[]): readonly Standing[] {
    const [words, ends] = joined(tokens);
    return frozen(read<Standing[]>(asked(() => this.#kept.source.standings(words, ends))));
  }

  /** @internal The file in the core. */
  _source(): Source {
    return this.#kept.fresh();
  }

  /** @internal One group. */
  _group(index: number): Group {
    return (this.#groups[index] ??= frozen(read<Group>(this.#kept.source.group(index))));
  }

  get #said(): Facts {
    return (this.#facts ??= read<Facts>(this.#kept.source.facts()));
  }

  /** The bytes of the file, as received: a copy. */
  get body(): Uint8Array {
    return this.#kept.body;
  }

  /** How many bytes the dialect reads; fewer than `body.length` if a limit cuts the file. */
  get bytesRead(): number {
    return this.#said.bytesRead;
  }

  /** Whether the parsing limit was exceeded (RFC 9309 section 2.5). */
  get truncated(): boolean {
    return this.#said.truncated;
  }

  /** The groups, in file order. */
  get groups(): readonly Group[] {
    return (this.#allGroups ??= frozen(read<Group[]>(this.#kept.source.groups())));
  }

  /** Every line of the file; their spans tile it. */
  get lines(): readonly Line[] {
    return (this.#lines ??= this.linesFrom(0));
  }

  /** How many lines the file has. */
  get numberOfLines(): number {
    return this.#kept.source.number_of_lines();
  }

  /**
   * Some of the lines, counted from 0: for views of long files. There are none beyond the last.
   *
   * @throws TypeError for what is not a number, RangeError for what is negative or not whole.
   */
  linesFrom(start: number, end: number = this.numberOfLines): readonly Line[] {
    expectWhole("start", start);
    expectWhole("end", end);
    const last = this.numberOfLines;
    const lines = this.#kept.source.lines(Math.min(start, last), Math.min(end, last));
    return frozen(read<Line[]>(lines));
  }

  /** The extension records that the dialect reads, as typed values (RFC 9309 section 2.2.4). */
  get records(): readonly FileRecord[] {
    const recordOf = (record: WrittenRecord): FileRecord => ({
      ...record,
      group: record.group === null ? null : this._group(record.group),
    });
    const written = () => read<WrittenRecord[]>(this.#kept.source.records());
    return (this.#records ??= frozen(written().map(recordOf)));
  }

  /** The `Sitemap` values as written, in file order, duplicates kept. */
  get sitemaps(): readonly string[] {
    return (this.#sitemaps ??= frozen(read<string[]>(this.#kept.source.sitemaps())));
  }

  /** Everything that was tolerated, cut or skipped, by line. */
  get findings(): readonly Finding[] {
    return (this.#findings ??= frozen(read<Finding[]>(this.#kept.source.findings())));
  }

  /**
   * Whether this file governs the origin of `url` (RFC 9309 section 2.3).
   *
   * Always true if `parse` was not given the file's URL; false for a file that is not `/robots.txt` at
   * the root, which governs nothing.
   */
  governs(url: string): boolean {
    expectText("url", url);
    return asked(() => this.#kept.source.governs(bytesOf(url)));
  }

  /** `url` without the query parameters that `Clean-param` marks as insignificant. */
  clean(url: string): string {
    expectText("url", url);
    return read<string>(asked(() => this.#kept.source.clean(bytesOf(url))));
  }

  /** What Python's `repr` shows, such as `RobotsTxt(33 bytes, 1 group, 1 rule, dialect='rfc9309')`. */
  toString(): string {
    const { groups, rules } = this.#said;
    const counts = [count(this.body.length, "byte"), count(groups, "group"), count(rules, "rule")];
    return `RobotsTxt(${counts.join(", ")}, dialect=${quoted(this.dialect.name)})`;
  }

  /** Free the memory that the file holds, at once and not when it is collected; it can still be used
   * afterwards, and is parsed again then. */
  free(): void {
    this.#kept.free();
  }

  /** For `using robots = parse(...)`. */
  [Symbol.dispose](): void {
    this.free();
  }
}

inspectedAsText(RobotsTxt);
