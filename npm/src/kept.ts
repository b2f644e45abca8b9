// A file, and what the core holds of it. The core's memory is not collected, so that it holds only a
// number of bytes: beyond these, the oldest files are freed, as are those that are disposed of. One
// that is asked again is parsed again, in microseconds. Registries of collected values run too late,
// after a loop, and cost more than parsing.

import { Rules, Source } from "#wasm";
import { asked } from "./errors.js";
import { bytesOf, joined, written } from "./text.js";

/** Whose groups a crawler follows if none names it: those of others, then those of `*` if it does. */
export interface Binding {
  readonly follows: readonly string[];
  readonly byStar: boolean;
}

/** What the core holds of a file. */
class Held {
  source: Source | null = null;
  readonly rules = new Map<string, Rules>();
  size = 0;

  free(): void {
    this.rules.forEach((rules) => rules.free());
    this.rules.clear();
    this.source?.free();
    this.source = null;
    all.delete(this);
    held -= this.size;
    this.size = 0;
  }
}

/** The most bytes that files hold in the core, about: the oldest are freed. */
const MOST_HELD = 1 << 23;
/** What a byte of a file holds, with its rules compiled; and a file, whatever its length. */
const HELD_OF_BYTE = 4;
const HELD_OF_FILE = 2_048;
/** How many files are held, however long they are: two are compared with each other. */
const FEWEST = 3;
/** The most crawlers of a file whose rules are held. */
const MOST_RULES = 16;

let held = 0;
const all = new Set<Held>();

/** A file with its inputs. */
export class Kept {
  readonly #body: string | Uint8Array;
  readonly #dialect: string;
  readonly #url: string | null;
  readonly #held = new Held();

  constructor(body: string | Uint8Array, dialect: string, url: string | null) {
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
  rules(key: string, tokens: readonly string[], binding: Binding | null): Rules {
    return this.#held.rules.get(key) ?? this.#select(key, tokens, binding);
  }

  free(): void {
    this.#held.free();
  }

  #parse(): Source {
    const size = HELD_OF_FILE + HELD_OF_BYTE * this.#body.length;
    for (const oldest of all) {
      if (held + size <= MOST_HELD || all.size < FEWEST) break;
      oldest.free();
    }
    this.#held.source = this.#read();
    this.#held.size = size;
    held += size;
    all.add(this.#held);
    return this.#held.source;
  }

  #read(): Source {
    const url = this.#url === null ? null : bytesOf(this.#url);
    const length = typeof this.#body === "string" ? written(this.#body) : -1;
    if (length >= 0) return asked(() => Source.of_scratch(length, this.#dialect, url));
    const body = typeof this.#body === "string" ? bytesOf(this.#body) : this.#body;
    return asked(() => new Source(body, this.#dialect, url));
  }

  #select(key: string, tokens: readonly string[], binding: Binding | null): Rules {
    const made = binding ? this.#following(tokens, binding) : this.#own(tokens);
    const { rules } = this.#held;
    for (const [oldest, unasked] of rules) {
      if (rules.size < MOST_RULES) break;
      unasked.free();
      rules.delete(oldest);
    }
    rules.set(key, made);
    return made;
  }

  #own(tokens: readonly string[]): Rules {
    const { source } = this;
    const length = tokens.length === 1 ? written(tokens[0] ?? "") : -1;
    if (length >= 0) return asked(() => source.agent_of_scratch(length));
    return asked(() => source.agent(...joined(tokens)));
  }

  #following(tokens: readonly string[], { follows, byStar }: Binding): Rules {
    const { source } = this;
    return asked(() => source.agent_following(...joined(tokens), ...joined(follows), byStar));
  }
}
