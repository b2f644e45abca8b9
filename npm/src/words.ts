// Answers and their reasons in words, as Python and the page have them: the core's.

import { words } from "#wasm";
import { expectText } from "./expect.js";
import type { Reason, UseReason } from "./values.js";
import { read } from "./values.js";

type Verdict = "allowed" | "disallowed" | "silent";

/** Reasons with their words, and the words for what is allowed, what is not, and what no line says. */
type Words = readonly [reasons: readonly (readonly [string, string])[], verdicts: readonly Verdict[]];

let known: { readonly reasons: ReadonlyMap<string, string>; readonly verdicts: readonly Verdict[] };

function wordsOfCore(): typeof known {
  if (known) return known;
  const [reasons, verdicts] = read<Words>(words());
  return (known = { reasons: new Map(reasons), verdicts });
}

/** What a reason is called, such as `no rule matches` for `NO_MATCHING_RULE`. */
export function reasonInWords(reason: Reason | UseReason): string {
  expectText("reason", reason);
  return wordsOfCore().reasons.get(reason) ?? reason;
}

/** What an answer is called: `silent` if no line mentions a use. */
export function verdictOf(allowed: boolean | null): Verdict {
  const { verdicts } = wordsOfCore();
  return verdicts[allowed === null ? 2 : allowed ? 0 : 1] ?? "silent";
}
