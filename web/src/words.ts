/** The reasons of the core, in words. */

import type { Reason, UseReason } from "verger";

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
  NO_SIGNAL: "no line is about it",
};
