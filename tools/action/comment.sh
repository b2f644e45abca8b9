#!/bin/sh
# Write a report as a comment on a pull request: in place of the one before, if there is one.
#
# In, from the environment: REPORT, a file of Markdown; PULL_REQUEST, its number; REPOSITORY, as
# `owner/name`; GH_TOKEN, for `gh`. Without a pull request, nothing is written.
set -eu

MOST_BYTES=60000 # GitHub takes 65,536 characters

[ -n "$PULL_REQUEST" ] || exit 0
case $PULL_REQUEST in *[!0-9]*) echo "error: not a pull request: $PULL_REQUEST" >&2; exit 2 ;; esac

body=$(mktemp)
trap 'rm -f "$body"' EXIT
if [ "$(wc -c < "$REPORT")" -gt "$MOST_BYTES" ]; then
    # whole lines, so that no character and no entity is cut
    head -c "$MOST_BYTES" "$REPORT" | sed '$d' > "$body"
    printf '\n\nThe report is longer: see the annotations.\n' >> "$body"
else
    cat "$REPORT" > "$body"
fi

comments="repos/$REPOSITORY/issues/$PULL_REQUEST/comments"
mine='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- verger -->"))) | .id'
before=$(gh api --paginate "$comments" --jq "$mine" | head -n 1)

if [ -n "$before" ]; then
    gh api --method PATCH "repos/$REPOSITORY/issues/comments/$before" -F "body=@$body" > /dev/null
else
    gh api --method POST "$comments" -F "body=@$body" > /dev/null
fi
