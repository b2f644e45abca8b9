#!/bin/sh
# Lint a robots.txt file, and say what it changes against the base branch, as Markdown.
#
# In, from the environment: ROBOTS, the file; BASE, the revision that it is compared with, or
# nothing; FAIL_ON, the severity that fails; REPORT, where the Markdown goes. The annotations go to
# stdout. Exit code: that of `verger lint`.
# Names come from strangers: each is one word, and none is an option.
set -u

case $ROBOTS in -*) ROBOTS=./$ROBOTS ;; esac

# Git knows files by their place below the root, or below this folder.
top=$(git rev-parse --show-toplevel 2>/dev/null)
case $ROBOTS in
    "$top"/*) there=$BASE:${ROBOTS#"$top"/} ;;
    *) there=$BASE:./$ROBOTS ;;
esac

verger lint --format github --fail-on "$FAIL_ON" -- "$ROBOTS"
code=$?

changes() {
    if ! git cat-file -e "$BASE^{commit}" 2>/dev/null; then
        echo "The base revision is not here, so that nothing is compared: check out with \`fetch-depth: 0\`."
    elif ! git cat-file -e "$there" 2>/dev/null; then
        echo "The base branch has no such file."
    elif [ -e "$ROBOTS" ]; then
        verger diff --quiet --format markdown -- "$there" "$ROBOTS"
    else
        echo "The file is removed. Where a site has none, crawlers may fetch everything:"
        echo
        verger diff --quiet --format markdown -- "$there" - </dev/null
    fi
}

{
    echo "<!-- verger -->"
    [ -e "$ROBOTS" ] && verger lint --quiet --format markdown -- "$ROBOTS"
    if [ -n "$BASE" ]; then
        echo
        changes
    fi
} > "$REPORT"

exit $code
