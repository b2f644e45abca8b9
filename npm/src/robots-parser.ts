// The names of robots-parser, with the answers of verger. docs/guides/javascript.md lists what differs.

import { type Agent, DIALECTS, InvalidTarget, origin, OutOfScope, parse, type RobotsTxt } from "verger";
import { expectText } from "./expect.js";

/** A parsed file, with the methods of robots-parser. */
export interface Robot {
  /** Whether the URL may be fetched; undefined if the file does not govern it. */
  isAllowed(url: string, ua?: string): boolean | undefined;
  /** Whether the URL may not be fetched, or the file does not govern it. */
  isDisallowed(url: string, ua?: string): boolean;
  /** Whether a group that names the crawler disallows the URL, or the file does not govern it. */
  isExplicitlyDisallowed(url: string, ua: string): boolean;
  /** The line of the rule that decides, from 1; -1 if none does. */
  getMatchingLineNumber(url: string, ua?: string): number;
  /** Seconds between two requests; undefined if the file sets none. */
  getCrawlDelay(ua?: string): number | undefined;
  /** The sitemaps, as written. */
  getSitemaps(): string[];
  /** The preferred host, in lower case; null if the file sets none. */
  getPreferredHost(): string | null;
}

/** As RFC 9309, but for any text as the name of a crawler. */
const DIALECT = DIALECTS.rfc9309.replace({ token_check: "any" }, { name: "robots-parser" });
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i;

/** Parse a file; `url` is its own, or a path. */
export default function robotsParser(url: string, robotstxt: string): Robot {
  return new File(String(url), String(robotstxt ?? ""));
}

class File implements Robot {
  readonly #robots: RobotsTxt;
  readonly #isAbsolute: boolean;

  constructor(url: string, contents: string) {
    this.#isAbsolute = ABSOLUTE.test(url);
    const own = this.#isAbsolute ? `${originOf(url)}/robots.txt` : null;
    this.#robots = parse(contents, { dialect: DIALECT, url: own });
  }

  isAllowed(url: string, ua?: string): boolean | undefined {
    return this.#ask(url, (asked) => this.#agent(ua).allowed(asked));
  }

  isDisallowed(url: string, ua?: string): boolean {
    return !this.isAllowed(url, ua);
  }

  isExplicitlyDisallowed(url: string, ua: string): boolean {
    const agent = this.#agent(ua);
    const isAllowed = this.#ask(url, (asked) => !agent.named || agent.allowed(asked));
    return !isAllowed;
  }

  getMatchingLineNumber(url: string, ua?: string): number {
    return this.#ask(url, (asked) => this.#agent(ua).decide(asked).line) ?? -1;
  }

  getCrawlDelay(ua?: string): number | undefined {
    return this.#agent(ua).crawlDelay ?? undefined;
  }

  getSitemaps(): string[] {
    return [...this.#robots.sitemaps];
  }

  getPreferredHost(): string | null {
    const hosts = this.#robots.records.filter(({ field, raw }) => field === "host" && raw);
    return hosts.at(-1)?.raw.toLowerCase() ?? null;
  }

  #agent(ua: string | undefined): Agent {
    const name = ua || "*";
    expectText("ua", name);
    return this.#robots.agent(nameIn(name));
  }

  /** An answer about a URL; undefined if the file does not govern it. */
  #ask<T>(url: string, answer: (url: string) => T): T | undefined {
    const asked = String(url);
    const isAbsolute = ABSOLUTE.test(asked);
    if (isAbsolute !== this.#isAbsolute) return undefined;
    try {
      return answer(isAbsolute || asked.startsWith("/") ? asked : `/${asked}`);
    } catch (error) {
      if (error instanceof InvalidTarget || error instanceof OutOfScope) return undefined;
      throw error;
    }
  }
}

/** The name before a version. */
function nameIn(ua: string): string {
  return ua.split("/", 1)[0]?.trim() ?? ua;
}

/** One that no URL has, if the file's own has none. */
function originOf(url: string): string {
  try {
    return origin(url);
  } catch {
    return "https://robots-parser.invalid";
  }
}
