# Completes `verger` in fish; written by `verger completion fish`.

set -g __verger_crawlers @CRAWLERS@

# The words before the cursor, after `verger` and `help`.
function __verger_words
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    test (count $words) -gt 0
    and printf '%s\n' $words
end

# Whether the next word names a command, or a sub-command of the one given.
function __verger_needs_command
    set -l words (__verger_words)
    test "$words" = "$argv"
end

function __verger_in
    set -l words (__verger_words)
    set -l first $words[1..(count $argv)]
    test "$first" = "$argv"
end

complete -c verger -f
complete -c verger -n __verger_needs_command -s h -l help -d 'show help'
complete -c verger -n __verger_needs_command -l version -d 'show the version'
complete -c verger -n __verger_needs_command -a help -d 'show the help of a command'
