// Dialects: complete interpretations of robots.txt, as data.

import { dialect_facts, dialect_has, dialects, misspelt } from "#wasm";
import { choiceHint, closeHint } from "./closest.js";
import { InvalidOption, UnknownName } from "./errors.js";
import { expectObject, expectOptions, expectText, wrongType } from "./expect.js";
import { quoted, shortened } from "./plain.js";
import { inspectedAsText } from "./shown.js";
import { frozen, read } from "./values.js";

/** The names of the dialects, oldest first. */
export type DialectName =
  | "original-1994"
  | "koster-1996"
  | "koster-rep-00"
  | "rfc9309"
  | "google"
  | "googlebot-cpp"
  | "yandex"
  | "bing";

/** A dialect that differs from a named one in some knobs, such as `rfc9309+tie=disallow`; a field by
 * itself is read in addition, as in `rfc9309+content-usage`. */
export type DerivedName = `${DialectName}+${string}`;

/** A value of a knob. */
export type KnobValue = boolean | number | string | readonly string[] | null;

/** One choice of a dialect: its name, its values, and their sources. */
export interface Knob {
  /** Its name: a key of `Dialect.knobs`. */
  readonly name: string;
  /** What it decides, with the unit of its values. */
  readonly doc: string;
  /** Where its values come from. */
  readonly source: string;
  /** Every value, for a knob with a fixed list; otherwise empty. */
  readonly choices: readonly (string | boolean)[];
  /** The meaning of each choice; empty for yes or no, and if there is no fixed list. */
  readonly meanings: readonly string[];
}

interface Facts {
  readonly name: string;
  readonly title: string;
  readonly knobs: Readonly<Record<string, KnobValue>>;
}

/** What `Dialect.replace` takes beside knobs. */
export interface Replacing {
  /** Its name; by default, one is derived from this dialect and the knobs. */
  readonly name?: string;
  /** Whether `parse_limit` may be less than 500 KiB, for tests. */
  readonly smallLimits?: boolean;
}

/** The bytes that every crawler must read (RFC 9309 section 2.5). */
const LEAST_READ = 512_000;

/** One complete interpretation of robots.txt, as data: frozen, from `DIALECTS` or `replace`. */
export class Dialect {
  /** Its name: a key of `DIALECTS`, or your own. */
  readonly name: string;
  /** The document that the dialect follows. */
  readonly title: string;
  /** Every knob with its value, in the order of `KNOBS`. Knobs keep the names that they have in the
   * configuration and in the documentation, such as `parse_limit`. */
  readonly knobs: Readonly<Record<string, KnobValue>>;
  /** @internal What the core reads. */
  readonly _text: string;
  /** @internal Its place among the named dialects; -1 for one of your own. */
  readonly _place: number;

  /** @internal */
  constructor(text: string, name?: string) {
    const facts = frozen(read<Facts>(dialect_facts(text)));
    this.name = name ?? facts.name;
    this.title = facts.title;
    this.knobs = facts.knobs;
    this._text = text;
    this._place = known().names.indexOf(text as DialectName);
    Object.freeze(this);
  }

  /** What Python's `repr` shows, such as `Dialect('google')`. */
  toString(): string {
    return `Dialect(${quoted(this.name)})`;
  }

  /**
   * A dialect that differs in the knobs given.
   *
   * @param knobs named as in `KNOBS`, each with one of its values.
   * @throws UnknownName for an unknown knob or value; InvalidOption for a parsing limit that is too
   * small (RFC 9309 section 2.5), and for a name that another dialect has.
   */
  replace(knobs: Readonly<Record<string, KnobValue>>, options: Replacing = {}): Dialect {
    expectObject("knobs", knobs);
    expectOptions(options, ["name", "smallLimits"]);
    const text = Object.entries(knobs).reduce(
      (text, [name, value]) => `${text}\n${changeOf(this, name, value)}`,
      this._text,
    );
    const changed = new Dialect(text);
    if (!options.smallLimits) expectLimit(changed, this.knobs);
    const { name = changed.name } = options;
    expectName(name, changed);
    return new Dialect(text, name);
  }
}

inspectedAsText(Dialect);

interface Names {
  readonly names: readonly DialectName[];
  readonly knobs: readonly Knob[];
  readonly fields: readonly string[];
}

let names: Names | undefined;

/** Names are read when the core has started. */
function known(): Names {
  return (names ??= frozen(read<Names>(dialects())));
}

let named: Readonly<Record<DialectName, Dialect>> | undefined;

/** The named dialects, oldest first. */
export function allDialects(): Readonly<Record<DialectName, Dialect>> {
  const made = () => known().names.map((name) => [name, new Dialect(name)] as const);
  return (named ??= Object.freeze(Object.fromEntries(made())) as Record<DialectName, Dialect>);
}

/** The choices of a dialect, in the order of the pipeline. */
export function allKnobs(): readonly Knob[] {
  return known().knobs;
}

/** A dialect by name, or unchanged. */
export function dialectOf(dialect: DialectName | DerivedName | Dialect): Dialect {
  if (dialect instanceof Dialect) return dialect;
  if (typeof dialect !== "string") throw wrongType("dialect", "a name or a Dialect", dialect);
  const named = namedDialect(dialect);
  if (named) return named;
  const why = read<readonly [string, string, string] | null>(misspelt(dialect));
  if (why) throw unknownName(...why);
  const derived = new Dialect(dialect);
  const [base = ""] = dialect.split("+", 1);
  expectLimit(derived, namedDialect(base)?.knobs ?? {});
  return namedDialect(derived.name) ?? derived;
}

function namedDialect(name: string): Dialect | undefined {
  return Object.hasOwn(allDialects(), name) ? allDialects()[name as DialectName] : undefined;
}

/** The error for a name that means no dialect. */
function unknownName(kind: string, name: string, text: string): UnknownName {
  const knob = known().knobs.find((each) => each.name === name);
  if (kind === "value" && knob) return badValue(knob, dialectOf("rfc9309"), text);
  const hint =
    kind === "dialect"
      ? choiceHint(text, known().names)
      : closeHint(text, [...knobNames(), ...known().fields]);
  return new UnknownName(`unknown ${kind} \`${shortened(text)}\``, hint);
}

function knobNames(): string[] {
  return known().knobs.map((knob) => knob.name);
}

/** The line that tells the core of a change. */
function changeOf(dialect: Dialect, name: string, value: unknown): string {
  const knob = known().knobs.find((each) => each.name === name);
  if (!knob) throw unknownKnob(name);
  const change = `${kindOf(knob, dialect.knobs[name], value)}:${name}=${value}`;
  const isOne = !change.includes("\n");
  if (isOne && dialect_has(dialect._text, change)) return change;
  throw badValue(knob, dialect, String(value));
}

function badValue(knob: Knob, dialect: Dialect, value: string): UnknownName {
  const expected = expectedOf(knob, dialect.knobs[knob.name]);
  return new UnknownName(
    `\`${shortened(value)}\` is not a value of \`${knob.name}\`: expected ${expected}`,
    closeHint(value, knob.choices.filter((each) => typeof each === "string")),
  );
}

function unknownKnob(name: string): UnknownName {
  return new UnknownName(`unknown knob \`${shortened(name)}\``, choiceHint(name, knobNames()));
}

/** The letter of a kind of value; none if the knob has no such values. */
function kindOf(knob: Knob, now: KnobValue | undefined, value: unknown): string {
  const isNumber = knob.choices.length === 0 && !Array.isArray(now);
  if (typeof value === "boolean") return typeof now === "boolean" ? "b" : "";
  if (typeof value === "number") return isNumber && Number.isSafeInteger(value) ? "n" : "";
  if (value === null) return isNumber ? "l" : "";
  if (typeof value === "string") return "c";
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? "f" : "";
}

function expectedOf(knob: Knob, now: KnobValue | undefined): string {
  if (typeof now === "boolean") return "true or false";
  if (Array.isArray(now)) return "an array of extension field names";
  if (knob.choices.length) return `one of ${knob.choices.map((each) => `\`${each}\``).join(", ")}`;
  return "a number that is not negative, or null for no limit";
}

function expectLimit(changed: Dialect, before: Dialect["knobs"]): void {
  const limit = changed.knobs["parse_limit"];
  if (typeof limit !== "number" || limit >= LEAST_READ || limit === before["parse_limit"]) return;
  throw new InvalidOption(
    `\`parse_limit\` is ${limit}: rules behind the first ${limit} bytes would count for nothing` +
      " (RFC 9309 section 2.5)",
    `pass at least ${LEAST_READ}, or null; tests may add \`smallLimits: true\``,
  );
}

function expectName(name: string, changed: Dialect): void {
  expectText("name", name);
  const other = namedDialect(name);
  const isTaken = other && JSON.stringify(other.knobs) !== JSON.stringify(changed.knobs);
  const why = !name ? "is empty" : /\p{Cc}/u.test(name) ? "contains a control character" : "is taken";
  if (name && !/\p{Cc}/u.test(name) && !isTaken) return;
  throw new InvalidOption(
    `dialect name \`${shortened(name)}\` ${why}`,
    "pass a name of your own, such as `mine`, or omit it",
  );
}
