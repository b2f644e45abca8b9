#!/bin/sh
# Lint a robots.txt file, and say what it changes against the base branch, as Markdown.
#
# In, from the environment: ROBOTS, the file; BASE, the revision that it is compared with, or
# nothing; FAIL_ON, the severity that fails; REPORT, where the Markdown goes. The annotations go to
# stdout. Exit code: that of `verger lint`.
# Names come from strangers: each is one word, and none is an option.
set -u

case $ROBOTS in -*) ROBOTS=./$ROBOTS ;; esac

verger lint --format github --fail-on "$FAIL_ON" -- "$ROBOTS"
code=$?

{
    echo "<!-- verger -->"
    verger lint --quiet --format markdown -- "$ROBOTS"
    if [ -n "$BASE" ]; then
        echo
        if git cat-file -e "$BASE:./$ROBOTS" 2>/dev/null; then
            verger diff --quiet --format markdown -- "$BASE:./$ROBOTS" "$ROBOTS"
        else
            echo "The base branch has no such file."
        fi
    fi
} > "$REPORT"

exit $code
