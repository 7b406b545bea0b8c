
# Names that a server or a file holds.
function __fish_armadactl_live
    set -l words (commandline -opc)
    $words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c armadactl -a "(__fish_armadactl_live)"
