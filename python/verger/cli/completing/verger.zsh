#compdef verger
# Completes `verger` in zsh; written by `verger completion zsh`.

_verger_crawlers() {
    local -a tokens=(@CRAWLERS@)
    compadd "$@" -a tokens
}

_verger() {
    local -a commands=(
@COMMANDS@
    )
    local curcontext=$curcontext state line
    _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \
        '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe -t commands command commands ;;
        argument)
            local name=$words[1]
            if [[ $name == help ]]; then
                if (( CURRENT == 2 )); then
                    _describe -t commands command commands
                    return
                fi
                shift words
                (( CURRENT-- ))
                name=$words[1]
            fi
            (( $+functions[_verger_$name] )) && _verger_$name
            ;;
    esac
}

@FUNCTIONS@
if [[ $funcstack[1] == _verger ]]; then
    _verger "$@"
else
    compdef _verger verger
fi
