# Names that a server or a file holds; else what is known without asking.
_armadactl() {
    local -a names
    names=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${names[1]}" ]]; then
        local -a beginnings=("${(@M)names:#*=}")
        names=("${(@)names:#*=}")
        # A value follows `=`.
        (( ! ${#beginnings} )) || compadd -S "" -- "${beginnings[@]}"
        (( ! ${#names} )) || compadd -- "${names[@]}"
    else
        _armadactl_static "$@"
    fi
}

