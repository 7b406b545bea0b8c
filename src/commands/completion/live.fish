
# Names that a server or a file holds.
function __fish_armadactl_live
    set -l words (commandline -opc)
    $words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
# No files where a command takes none.
complete -c armadactl -n "__fish_armadactl_needs_command" -f
complete -c armadactl -n "__fish_armadactl_using_subcommand get create attach detach cordon uncordon edit config completion help man version" -f
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from decision" -f
complete -c armadactl -a "(__fish_armadactl_live)"
