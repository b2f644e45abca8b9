// A file, and what the core holds of it. The core's memory is not collected, so that it holds only a
// number of bytes: beyond these, the oldest files are freed, as are those that are disposed of. One
// that is asked again is parsed again, in microseconds. Registries of collected values run too late,
// after a loop, and cost more than parsing.

import { Rules, Source } from "#wasm";
import type { Dialect } from "./dialect.js";
import { errorOf } from "./errors.js";
import { bytesOf, joined, written } from "./text.js";

/** What the core holds of a file. */
class Held {
  source: Source | null = null;
  /** The rules that were asked last: most files are asked for one crawler. */
  key: string | null = null;
  rules: Rules | null = null;
  /** The others, by their keys. */
  others: Map<string, Rules> | null = null;
  size = 0;

  free(): void {
    this.rules?.free();
    this.others?.forEach((rules) => rules.free());
    this.key = this.rules = this.others = null;
    this.source?.free();
    this.source = null;
    all.delete(this);
    held -= this.size;
    this.size = 0;
  }
}

/** The most bytes that files hold in the core, about: the oldest are freed. */
const MOST_HELD = 1 << 22;
/** What a byte of a file holds, with its rules compiled; and a file, whatever its length. */
const HELD_OF_BYTE = 4;
const HELD_OF_FILE = 2_048;
/** How many files are held, however long they are: two are compared with each other. */
const FEWEST = 3;
/** The most crawlers of a file whose rules are held. */
const MOST_RULES = 16;

let held = 0;
const all = new Set<Held>();

/** Free the oldest files until one may hold more. */
function makeRoom(more: number, asked: Held): void {
  for (const oldest of all) {
    if (held + more <= MOST_HELD || all.size < FEWEST) return;
    if (oldest !== asked) oldest.free();
  }
}

/** A file with its inputs. */
export class Kept {
  readonly #body: string | Uint8Array;
  readonly #dialect: Dialect;
  readonly #url: string | null;
  readonly #held = new Held();

  constructor(body: string | Uint8Array, dialect: Dialect, url: string | null) {
    this.#body = body;
    this.#dialect = dialect;
    this.#url = url;
    this.#parse();
  }

  /** The file in the core. */
  get source(): Source {
    return this.#held.source ?? this.#parse();
  }

  /** The file in the core, where it stays while another is parsed. */
  fresh(): Source {
    const source = this.source;
    all.delete(this.#held);
    all.add(this.#held);
    return source;
  }

  /** The bytes of the file, as given. */
  get body(): Uint8Array {
    return typeof this.#body === "string" ? bytesOf(this.#body) : this.#body.slice();
  }

  /** The rules of a crawler in the core. */
  rules(key: string, tokens: readonly string[], byOperator: boolean): Rules {
    const held = this.#held;
    if (held.rules !== null && held.key === key) return held.rules;
    return this.#known(key) ?? this.#keep(key, this.#select(tokens, byOperator));
  }

  /** Free the rules of a crawler. */
  forget(key: string): void {
    const held = this.#held;
    if (held.key === key) {
      held.rules?.free();
      held.key = held.rules = null;
    }
    held.others?.get(key)?.free();
    held.others?.delete(key);
  }

  free(): void {
    this.#held.free();
  }

  #parse(): Source {
    this.#held.source = this.#read();
    this.#count(0);
    all.add(this.#held);
    return this.#held.source;
  }

  #read(): Source {
    const { _text: dialect, _place: place } = this.#dialect;
    const length = typeof this.#body === "string" && place >= 0 ? written(this.#body) : -1;
    const end = length < 0 || this.#url === null ? length : written(this.#url, length);
    try {
      if (end >= 0) return Source.of_scratch(length, end, this.#url !== null, place);
      const url = this.#url === null ? null : bytesOf(this.#url);
      const body = typeof this.#body === "string" ? bytesOf(this.#body) : this.#body;
      return new Source(body, dialect, url);
    } catch (complaint) {
      throw errorOf(complaint);
    }
  }

  /** Rules that were asked before, and are the last now. */
  #known(key: string): Rules | undefined {
    const known = this.#held.others?.get(key);
    if (known) this.#held.others?.delete(key);
    return known && this.#keep(key, known);
  }

  #keep(key: string, rules: Rules): Rules {
    const held = this.#held;
    if (held.key !== null && held.rules !== null) {
      const others = (held.others ??= new Map());
      others.set(held.key, held.rules);
      for (const [oldest, unasked] of others) {
        if (others.size <= this.#mostOthers) break;
        unasked.free();
        others.delete(oldest);
      }
      this.#count(others.size);
    }
    held.key = key;
    return (held.rules = rules);
  }

  /** How many other crawlers have their rules held: one of a long file, which may be compared. */
  get #mostOthers(): number {
    const most = Math.floor(MOST_HELD / this.#sizeWith(0)) - 1;
    return Math.max(1, Math.min(most, MOST_RULES - 1));
  }

  /** The bytes of the file with its rules, which may be compiled as a whole for each crawler. */
  #sizeWith(others: number): number {
    return HELD_OF_FILE + HELD_OF_BYTE * this.#body.length * (1 + others);
  }

  #count(others: number): void {
    const more = this.#sizeWith(others) - this.#held.size;
    makeRoom(more, this.#held);
    this.#held.size += more;
    held += more;
  }

  #select(tokens: readonly string[], byOperator: boolean): Rules {
    const { source } = this;
    const length = tokens.length === 1 ? written(tokens[0] ?? "") : -1;
    try {
      if (length >= 0) return source.agent_of_scratch(length, byOperator);
      return source.agent(...joined(tokens), byOperator);
    } catch (complaint) {
      throw errorOf(complaint);
    }
  }
}
