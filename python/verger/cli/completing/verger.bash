# Completes `verger` in bash; written by `verger completion bash`.

_verger_crawlers='@CRAWLERS@'

# Offer the words that begin with $word.
_verger_offer() {
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -W "$1" -- "$word")
}

_verger_files() {
    local line
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -f -- "$word")
}

# Offer values of the option $2 of the command $1; fail if it takes none.
_verger_values() {
    case "$1 $2" in
@VALUES@
        *) return 1 ;;
    esac
}

_verger_options() {
    case $1 in
@OPTIONS@
    esac
}

# Offer positional arguments.
_verger_arguments() {
    case $1 in
@ARGUMENTS@
    esac
}

# Offer values of the option that the word before the cursor belongs to; fail if there is none.
_verger_values_here() {
    local at option
    for ((at = COMP_CWORD - 1; at > 0; at--)); do
        option=${COMP_WORDS[at]}
        case $option in
            -- | /* | *://*) return 1 ;;
            -?*) break ;;
        esac
    done
    ((at > 0)) || return 1
    case ${COMP_WORDS[*]:at+1:COMP_CWORD-at-1} in
        '' | '=') ;;
        *) return 1 ;;
    esac
    _verger_values "$1" "$option"
}

_verger() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} first=2 at
    COMPREPLY=()
    [[ $word == '=' ]] && word=
    if [[ $command == help ]]; then
        command=${COMP_WORDS[2]}
        first=3
    fi
    case $command in
        @PARENTS@)
            if ((COMP_CWORD > first)); then
                command="$command ${COMP_WORDS[first]}"
                ((first++))
            fi
            ;;
    esac
    if ((COMP_CWORD < first)); then
        command=
    fi
    for ((at = first; at < COMP_CWORD; at++)); do
        if [[ ${COMP_WORDS[at]} == -- ]]; then
            _verger_arguments "$command"
            return
        fi
    done
    _verger_values_here "$command" && return
    if [[ $word != -* ]]; then
        _verger_arguments "$command"
    fi
    if [[ $word == -* || ( -z $word && ${#COMPREPLY[@]} -eq 0 ) ]]; then
        _verger_offer "$(_verger_options "$command")"
    fi
}

complete -F _verger verger
