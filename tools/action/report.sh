#!/bin/sh
# Lint a robots.txt file, and say what it changes against the base branch, as Markdown.
#
# In, from the environment: ROBOTS, the file; BASE, the revision that it is compared with, or
# nothing; FAIL_ON, the severity that fails; REPORT, where the Markdown goes. The annotations go to
# stdout. Exit code: that of `verger lint`; for a file that was removed 1 if warnings fail, else 0;
# 2 for a file that neither is nor was there.
# Names come from strangers: each is one word, and none is an option.
set -u

case $ROBOTS in -*) ROBOTS=./$ROBOTS ;; esac

# A short name, because readers see it; one that is not here stays as it is.
base=$(git rev-parse --quiet --verify --short "$BASE^{commit}" 2>/dev/null) || base=$BASE

# Git knows files by their place below the root, or below this folder.
top=$(git rev-parse --show-toplevel 2>/dev/null)
case $ROBOTS in
    "$top"/*) there=$base:${ROBOTS#"$top"/} ;;
    *) there=$base:./$ROBOTS ;;
esac

is_here() { [ -e "$ROBOTS" ]; }
was_there() { git cat-file -e "$there" 2>/dev/null; }

# A message of a workflow ends at its line, and `%` begins an escape.
annotate() { printf '::%s::%s\n' "$1" "$(printf %s "$2" | sed 's/%/%25/g' | tr '\r\n' '  ')"; }

if is_here; then
    verger lint --format github --fail-on "$FAIL_ON" -- "$ROBOTS"
    code=$?
elif [ -n "$BASE" ] && was_there; then
    annotate warning "$ROBOTS is removed: where a site has none, crawlers may fetch everything"
    case $FAIL_ON in error) code=0 ;; *) code=1 ;; esac
else
    annotate error "there is no file $ROBOTS: name the robots.txt file with \`file:\`"
    code=2
fi

changes() {
    if ! git cat-file -e "$base^{commit}" 2>/dev/null; then
        echo "The base revision is not here, so that nothing is compared: check out with \`fetch-depth: 0\`."
    elif ! was_there; then
        echo "The base branch has no such file."
    elif is_here; then
        verger diff --quiet --format markdown -- "$there" "$ROBOTS"
    else
        echo "The file is removed. Where a site has none, crawlers may fetch everything:"
        echo
        verger diff --quiet --format markdown -- "$there" - </dev/null
    fi
}

{
    echo "<!-- verger -->"
    is_here && verger lint --quiet --format markdown -- "$ROBOTS"
    if [ "$code" = 2 ] && ! is_here; then
        echo "There is no such file, here or in the base branch: \`file:\` of the workflow names it."
    elif [ -n "$BASE" ]; then
        echo
        changes
    fi
} > "$REPORT"

exit $code
