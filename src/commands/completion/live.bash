
# Names that a server or a file holds; else what is known without asking.
_armadactl() {
    local name
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ "${#COMPREPLY[@]}" -gt 0 ]] || _armadactl_static "$@"
    # A value follows `=`.
    [[ "${#COMPREPLY[@]}" -ne 1 || "${COMPREPLY[0]}" != *= ]] || compopt -o nospace 2>/dev/null || true
}
