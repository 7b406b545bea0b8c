# Names that a server or a file holds; else what is known without asking.
_armadactl() {
    local -a names
    names=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${names[1]}" ]]; then
        compadd -- "${names[@]}"
    else
        _armadactl_static "$@"
    fi
}

