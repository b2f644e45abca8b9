/** The core's reasons and answers in words, and counts. */

import type { Reason, UseReason } from "verger";

import type { Verdict } from "./core";

export const VERDICTS: Record<Verdict, string> = {
  allowed: "allowed",
  disallowed: "disallowed",
  silent: "silent",
  invalid: "not answered",
};

export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export const REASONS: Record<Reason, string> = {
  MOST_SPECIFIC_RULE: "most specific match",
  FIRST_MATCHING_RULE: "first matching rule",
  EMPTY_RULE: "an empty rule, which disallows nothing",
  NO_MATCHING_RULE: "no rule of its group matches",
  GROUP_WITHOUT_RULES: "its group has no rules, so nothing is disallowed",
  NO_GROUP: "no group is for this crawler, so everything is allowed",
  ROBOTS_TXT_ITSELF: "a crawler may always fetch /robots.txt",
  FILE_OVER_LIMIT: "the file is longer than this dialect reads",
};

export const USE_REASONS: Record<UseReason, string> = {
  CRAWL_RULES: "may not be fetched",
  POLICY_TOKEN: "a group for this use",
  CONTENT_SIGNAL: "Content-Signal",
  CONTENT_USAGE: "Content-Usage",
  NO_SIGNAL: "no line mentions it",
};
