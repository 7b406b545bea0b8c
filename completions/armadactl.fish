# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_armadactl_global_optspecs
    string join \n o/output= no-headers color= q/quiet error-format= c/context= config= armada-rest-url= armadaUrl= request-timeout= ca-file= allow-insecure-auth v/verbose h/help V/version
end

function __fish_armadactl_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_armadactl_global_optspecs) -- $cmd 2>/dev/null
    or argparse -s (__fish_armadactl_global_optspecs) -- $cmd[1..-2] 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_armadactl_using_subcommand
    set -l cmd (__fish_armadactl_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c armadactl -n "__fish_armadactl_needs_command" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_needs_command" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_needs_command" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_needs_command" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_needs_command" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_needs_command" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_needs_command" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_needs_command" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_needs_command" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_needs_command" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_needs_command" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_needs_command" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_needs_command" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_needs_command" -s V -l version -d 'Print version'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "simulate" -d 'Replay a failure history through retry policies'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "validate" -d 'Check documents and report every mistake with its place'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "lint" -d 'Report policies that are valid but probably wrong'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "test" -d 'Run unit tests of policies and print their coverage'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "compare" -d 'Compare two versions of policies over all failures and sequences of them'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "fmt" -d 'Rewrite documents in their canonical layout'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "explain" -d 'Explain a decision, category, budget, disruption, release, round, field or id'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "convert" -d 'Convert policies to another form, and report what is lost'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "create" -d 'Create retry policies and queues, from files or by name'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "update" -d 'Change retry policies and queues that exist, from files or by name'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "apply" -d 'Create or change retry policies and queues to match files'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "diff" -d 'Show differences between files and the server'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "edit" -d 'Edit a retry policy in $VISUAL or $EDITOR'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "delete" -d 'Delete retry policies and queues, by name or from files'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "get" -d 'Show the retry policies and queues of a server'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "attach" -d 'Add retry policies to queues'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "detach" -d 'Remove retry policies from queues'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "cordon" -d 'Stop scheduling the jobs of queues'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "uncordon" -d 'Resume scheduling the jobs of queues'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "wait" -d 'Wait until policies or queues exist, or exist no longer'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "watch" -d 'Print the events of a job set as they come'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "history" -d 'Get, check and anonymize histories of failures'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "login" -d 'Sign in to the server of the current context'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "logout" -d 'Remove the token of the context'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "whoami" -d 'Print who you are on the server, and whether it accepts you'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "config" -d 'Show the config file, and select the context'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "serve" -d 'Run a server for development and tests'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "completion" -d 'Print a completion script for a shell'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "man" -d 'Print a manual page'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "version" -d 'Print the version'
complete -c armadactl -n "__fish_armadactl_needs_command" -f -a "help" -d 'Print help for a command or topic'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l queue-policies -d 'Apply these policies, in order, to the jobs of every queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l scheduler-config -d 'Read settings from this scheduler configuration file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l engine -d 'Evaluate by the rules of this engine [default: by the form of the policies]' -r -f -a "v1\t'The design: all matchers, limits per rule, backoff, gangs'
v1beta1\t'Today\'s Armada servers: categories, one limit per job'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l missing-policy -d 'Report or skip names of policies that do not exist' -r -f -a "error\t'Report an error'
skip\t'Ignore the name, with a warning'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l history -d 'Replay these histories: files, directories, patterns or `-` for stdin' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l executor-config -d 'Classify failures by the configuration of Armada\'s executors (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l format -d 'Read histories of this format' -r -f -a "auto\t'Detect the format by the first bytes'
yaml\t'`kind: FailureHistory` documents, YAML or JSON'
jsonl\t'JSON Lines, one run per line'
argo-workflows\t'Argo\'s workflows: `kubectl get workflows -o json`, or `argo get -o json`'
armada-events\t'Armada\'s events: POST /v1/job-set/QUEUE/JOBSET, or `armadactl watch --raw`'
aws-batch\t'AWS Batch\'s jobs: `aws batch describe-jobs`'
lookout\t'Lookout\'s jobs: POST /api/v1/jobs, also with the debug JSON of their runs'
pods\t'Pods: `kubectl get pods -o json`, or `-o yaml`'
sacct\t'Slurm\'s accounting: `sacct --allocations --duplicates --parsable2`'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l assume -d 'Assume this outcome of retries that the history does not record' -r -f -a "succeed\t'All of them succeed'
fail\t'All of them fail'
observed\t'They succeed as often as recorded retries after the same rule'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l on-bad-record -d 'Report or skip invalid records' -r -f -a "error\t'Report an error, and stop after 20'
skip\t'Skip the record, and count it in the report'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l shard -d 'Replay only the units of shard I of N, such as 0/16' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l partial -d 'Write the figures to this file in place of a report (`-` for stdout)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l timelines -d 'Print the timelines of these jobs' -r -f -a "auto\t'Jobs of documents, and single jobs'
all\t'All jobs'
none\t'No jobs, and no pairs of them that differ under variants'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l job -d 'Report on this job only' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l variant -d 'Replay also through these policies, in a column of their own (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l base -d 'Compare the policies of another checkout, such as the base\'s, with those here' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l sweep -d 'Replay also with each value of a limit, such as globalMaxRetries=0..10' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l unit -d 'Report costs in this unit' -r -f -a "auto\t'The first of GPU-hours, core-hours and hours that the record has, else retries'
gpu\t'GPU-hours'
core\t'Core-hours'
run\t'Hours of running'
retries\t'Retries: each costs 1'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l show -d 'Show these tables too, separated by commas, or `all`' -r -f -a "record\t''
rules\t''
decisions\t''
kinds\t''
retries\t''
nodes\t''
queues\t''
categories\t''
days\t''
hours\t''
disruptions\t''
changes\t''
contradictions\t''
figures\t''
comparison\t''
templates\t''
waits\t''
failures\t''
fairness\t''
refusals\t''
findings\t''
all\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l changes -d 'Write what differs from the first column to this file, as JSON Lines' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l samples -d 'Show this many jobs of each kind of difference [default: 3]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l assert -d 'Exit 1 unless this holds for the report, such as outcomes.Failed<10 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l advice -d 'Propose changes of the policies, or not' -r -f -a "auto\t'Changes of policies that their replay shows to be worth more than they cost'
none\t'No changes, and no further pass over the files'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l seed -d 'Seed random values of a policy, such as jitter, with this number' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l threads -d 'Use this many threads [default: one per core]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l every -d 'Print the answer so far at this interval, such as 10m' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l metrics -d 'Write the decisions so far to this file, in the text format of Prometheus' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l report -d 'Write the report as a page, as pictures or as a comment (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l cluster -d 'Simulate this cluster, a cluster file of Armada\'s simulator (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l workload -d 'Run the jobs of this workload file of Armada\'s simulator (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l scheduler -d 'Use this version of the scheduler' -r -f -a "landed\t'Armada\'s scheduler of today'
seed\t'The scheduler of the design'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l requeue -d 'Queue jobs that run again at this position' -r -f -a "original\t'By the time of its first submission, as Armada does today'
front\t'Before all others of its priority'
back\t'Behind all others of its priority'"
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l until -d 'End after this simulated time, such as 48h [default: 8784h]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l seeds -d 'Run this many seeds from --seed on, and report means with 95 % intervals' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l events -d 'Write every event of the run to this file, as JSON Lines' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l record -d 'Write the record of every ended run to this file, as a history' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l series -d 'Write the shares of every queue over time to this file, as CSV' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l disruptions -d 'Replace rows of the table of disruptions by those of this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s f -l filename -d 'Read policies and queues from these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l strict-records -d 'Refuse records with unknown keys or conditions'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l allow-empty -d 'Accept a history without records'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l allow-missing-shards -d 'Report on partial summaries although shards are missing'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l live -d 'Replay first through the policies and queues of the server, in the column `live`'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l against-record -d 'Report differences from the record, also with several sets of policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l exit-code -d 'Exit 1 if a job failed'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l follow -d 'Replay a stream as it comes, and print each decision'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -l open -d 'Open the page of `--report html=FILE` in the browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l executor-config -d 'Check the configuration files of Armada\'s executors (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l report -d 'Write a report for another program, or a page (repeatable; `-` for stdout)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l ignore-other-kinds -d 'Skip documents of other kinds in named files too'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -l open -d 'Open the page of `--report html=FILE` in the browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l scheduler-config -d 'Compare limits and defaults with this scheduler configuration file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l executor-config -d 'Compare categories with the files of Armada\'s executors (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l queue-policies -d 'Evaluate these policies together, in order, for every queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l against -d 'Report rules without failures, and retries without success, in these histories' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l disruptions -d 'Replace rows of the table of disruptions by those of this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l fail-on -d 'Exit 1 if there is a finding of this severity or a worse one [default: warning]' -r -f -a "error\t'Errors only'
warning\t'Warnings and errors'
info\t'All findings'"
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l select -d 'Report only these findings: ids or their beginnings, such as RP101,RP11' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l ignore -d 'Leave these findings out: ids or their beginnings' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l lint-config -d 'Read settings from this file [default: .armadactl-lint.yaml, here or above]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l baseline -d 'Report only findings that are not in this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l report -d 'Write a report for another program, or a page (repeatable; `-` for stdout)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l write-baseline -d 'Write all findings to the file of --baseline, and report none'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l fix -d 'Correct the files where that is mechanical'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l diff -d 'Print the changes that --fix would make, and write nothing'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l ignore-other-kinds -d 'Skip documents of other kinds in named files too'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -l open -d 'Open the page of `--report html=FILE` in the browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l run -d 'Run only tests whose name matches this pattern (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l coverage-threshold -d 'Exit 1 unless this percentage of rules, defaults and limits is covered' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l save -d 'Write the generated tests to this file, which must not exist' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l queue-policies -d 'Generate one suite, of these policies in this order [default: by queue]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l scheduler-config -d 'Generate tests under this scheduler configuration file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l engine -d 'Generate tests by the rules of this engine [default: by the form]' -r -f -a "v1\t'The design: all matchers, limits per rule, backoff, gangs'
v1beta1\t'Today\'s Armada servers: categories, one limit per job'"
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l report -d 'Write a report for another program, or a page (repeatable; `-` for stdout)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l watch -d 'Run the tests again whenever a file changes'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l init -d 'Generate a test file that covers the policies of FILE'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -l open -d 'Open the page of `--report html=FILE` in the browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l queue -d 'Compare the lists of policies of these queues alone (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l scheduler-config -d 'Read Armada\'s scheduler configuration from this file, for both versions' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l to-scheduler-config -d 'Read the scheduler configuration of the version after from this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l witnesses -d 'Write a history of each difference into this directory' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l as-tests -d 'Write a unit test of each difference to this file, which must not exist' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l history -d 'Count the recorded failures of these histories in each difference' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l report -d 'Write a report for another program, or a page (repeatable; `-` for stdout)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -l open -d 'Open the page of `--report html=FILE` in the browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l check -d 'Write nothing, and fail if a file would change'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -l diff -d 'Write nothing, and print the changes'
complete -c armadactl -n "__fish_armadactl_using_subcommand fmt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l api -d 'Describe the field of this form of document only' -r -f -a "v1\t''
v1beta1\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -l recursive -d 'List the fields in fields too'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "budget" -d 'Print how often one failing pod runs, by the layers that retry it'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "category" -d 'Try every rule of the executor\'s categories against a failure'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "decision" -d 'Try every rule against one failure and print why each matches or not'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "disruptions" -d 'Print what counts as a disruption, by which sign'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "releases" -d 'Print what a policy does otherwise in which release'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and not __fish_seen_subcommand_from budget category decision disruptions releases round" -a "round" -d 'Run one scheduling round and explain the result for every job'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s f -l filename -d 'Read policies and manifests from these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l failure -d 'Set a property of the failure, such as `exitCode=137` (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l resubmits -d 'Add a layer that submits the work again this number of times' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l runtime -d 'Let each attempt run for this long before it fails, and count its hours' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from budget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l executor-config -d 'Read the executor\'s configuration from these files, merged in order' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l pod -d 'Read the pod, and the events about it, from this file (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l failure -d 'Set a property of the failure, such as `exitCode=74` (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l queue-policies -d 'Apply these policies, in order, to the jobs of every queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l scheduler-config -d 'Read settings from this scheduler configuration file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l engine -d 'Evaluate by the rules of this engine [default: by the form of the policies]' -r -f -a "v1\t'The design: all matchers, limits per rule, backoff, gangs'
v1beta1\t'Today\'s Armada servers: categories, one limit per job'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l missing-policy -d 'Report or skip names of policies that do not exist' -r -f -a "error\t'Report an error'
skip\t'Ignore the name, with a warning'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s f -l filename -d 'Read policies and queues from these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from category" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s f -l filename -d 'Read policies and queues from these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l queue-policies -d 'Apply these policies, in order, to the jobs of every queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l scheduler-config -d 'Read settings from this scheduler configuration file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l engine -d 'Evaluate by the rules of this engine [default: by the form of the policies]' -r -f -a "v1\t'The design: all matchers, limits per rule, backoff, gangs'
v1beta1\t'Today\'s Armada servers: categories, one limit per job'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l missing-policy -d 'Report or skip names of policies that do not exist' -r -f -a "error\t'Report an error'
skip\t'Ignore the name, with a warning'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l failure -d 'Set a property of the failure, such as `exitCode=137` (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l executor-config -d 'Classify the failure by the configuration of Armada\'s executors (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l annotation -d 'Set an annotation of the job, such as `armadaproject.io/failFast=true`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l retries-used -d 'Set the number of earlier retries of the job; in v1beta1 the only count' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l rule-retries -d 'Set the number of earlier retries by the deciding rule; not in v1beta1' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l seed -d 'Seed random values of the policy, such as jitter, with this number' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from decision" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l source -d 'Print the rows of this source only' -r -f -a "pods\t''
sacct\t''
armada-events\t''
lookout\t''
records\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l disruptions -d 'Replace rows of the table of disruptions by those of this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from disruptions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s f -l filename -d 'Files or directories of policies (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l from -d 'Compare releases of a program from this one on: kubernetes-1.33 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l to -d 'Compare releases of a program up to this one (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l feature-gates -d 'Turn features of JobSet\'s controller on or off, such as RestartJob=true' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l pod-backoff-cap -d 'Limit the delay before a failed pod of a Job is replaced [default: 10m]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l release -d 'Read the policies as this release does, such as kubernetes-1.34 (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from releases" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l state -d 'Read the state of the pool from this file (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l cluster -d 'Read the nodes from this cluster file, if the state has none' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l scheduler-config -d 'Read the scheduler\'s configuration from this file, if the state has none' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l job -d 'Explain only this job, step by step (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand explain; and __fish_seen_subcommand_from round" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l to -d 'Convert the policies to this form' -r -f -a "v1\t'The design: `armadaproject.io/v1`'
v1beta1\t'The form of today\'s Armada servers: `armadaproject.io/v1beta1`'
job\t'A Kubernetes Job: `batch/v1`'
jobset\t'A JobSet: `jobset.x-k8s.io/v1alpha2`'
iris\t'A RetryProfile of Iris, as its code has it'
backendai\t'A RetryProfile of the BEP-1053 draft for Backend.AI'
airflow\t'A RetryProfile of Airflow, as its newest release has it'
argo\t'A WorkflowTemplate of Argo: `argoproj.io/v1alpha1`'
awsbatch\t'A job definition of AWS Batch, with its retryStrategy'
error-categories\t'The categories of Armada\'s executor, from its `kubernetes.failedPodChecks`'"
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l strict -d 'Exit 1 if something is lost or approximated'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -l accept-no-retries -d 'Print also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "queue" -d 'Create a queue'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "retrypolicy" -d 'Create retry policies from files'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "retry-policy" -d 'Create retry policies from files'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l priority-factor -d 'Set the priority factor, at least 1 [default of `create`: 1]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l owners -d 'Set the users who own the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l group-owners -d 'Set the groups that own the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s l -l labels -d 'Set all labels of the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l cordon -d 'Stop scheduling the jobs of the queue, or resume it with --cordon=false' -r -f -a "true\t''
false\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l retry-policy -l retry-policies -d 'Set the retry policies of the queue, in order' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from queue" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retrypolicy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand create; and __fish_seen_subcommand_from retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "queue" -d 'Change the fields of a queue that the flags set'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "retrypolicy" -d 'Replace retry policies with those of files'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and not __fish_seen_subcommand_from queue retrypolicy retry-policy" -f -a "retry-policy" -d 'Replace retry policies with those of files'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l priority-factor -d 'Set the priority factor, at least 1 [default of `create`: 1]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l owners -d 'Set the users who own the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l group-owners -d 'Set the groups that own the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s l -l labels -d 'Set all labels of the queue' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l cordon -d 'Stop scheduling the jobs of the queue, or resume it with --cordon=false' -r -f -a "true\t''
false\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l retry-policy -l retry-policies -d 'Set the retry policies of the queue, in order' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from queue" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retrypolicy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand update; and __fish_seen_subcommand_from retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l prune -d 'Delete policies on the server whose names match and that are not in the files' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l yes -d 'Delete the policies that --prune lists'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -l detach -d 'Detach pruned policies from the queues that use them'
complete -c armadactl -n "__fish_armadactl_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s f -l filename -d 'The same as FILE, also together with it (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l accept-differences -d 'Ignore fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -l accept-no-retries -d 'Compare also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -f -a "retrypolicy" -d 'Edit a retry policy'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -f -a "retry-policy" -d 'Edit a retry policy'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and not __fish_seen_subcommand_from retrypolicy retry-policy rp" -f -a "rp" -d 'Edit a retry policy'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retrypolicy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l accept-differences -d 'Drop fields of `v1` policies that the server cannot hold, and list them'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l accept-no-retries -d 'Send also policies left without rules or retries'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand edit; and __fish_seen_subcommand_from rp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s f -l filename -d 'Read these files or directories (`-` for stdin)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l exclude -d 'Leave out matching files of directories and patterns (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "retrypolicy" -d 'Delete retry policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "retry-policy" -d 'Delete retry policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "retrypolicies" -d 'Delete retry policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "retry-policies" -d 'Delete retry policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "rp" -d 'Delete retry policies'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "queue" -d 'Delete queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and not __fish_seen_subcommand_from retrypolicy retry-policy retrypolicies retry-policies rp queue queues" -f -a "queues" -d 'Delete queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retrypolicies" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from retry-policies" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from rp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queue" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l detach -d 'Detach the policies from the queues that use them first'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -l ignore-not-found -d 'Exit 0 also if a policy or queue does not exist'
complete -c armadactl -n "__fish_armadactl_using_subcommand delete; and __fish_seen_subcommand_from queues" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s l -l selector -d 'List only queues with these labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l api -d 'Print policies in this form, with -o json or yaml [default: the server\'s]' -r -f -a "v1\t'The design: `armadaproject.io/v1`'
v1beta1\t'The form of today\'s Armada servers: `armadaproject.io/v1beta1`'"
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l watch-interval -d 'Read the list again after this time, a Go duration' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s w -l watch -d 'Then print each resource that is added, changed or deleted, until Ctrl-C'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -l output-watch-events -d 'Print with each resource whether it was ADDED, MODIFIED or DELETED'
complete -c armadactl -n "__fish_armadactl_using_subcommand get" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l queue -d 'Change this queue (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s l -l selector -d 'Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l all-queues -d 'Select all queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l first -d 'Insert the policies before the others, in this order'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -l replace -d 'Remove all other policies from the queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand attach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l queue -d 'Change this queue (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s l -l selector -d 'Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -l all-queues -d 'Select all queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand detach" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s l -l selector -d 'Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -l all-queues -d 'Select all queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand cordon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s l -l selector -d 'Select queues by labels: KEY=VALUE, KEY!=VALUE, KEY or !KEY' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l dry-run -d 'Print what would change, without changing it' -r -f -a "none\t'Write to the server'
client\t'Check the input, and send no request'
server\t'Read from the server, and print what would change'"
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -l all-queues -d 'Select all queues'
complete -c armadactl -n "__fish_armadactl_using_subcommand uncordon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l for -d 'Wait for this' -r -f -a "create\t'The resource exists'
delete\t'The resource does not exist'"
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l timeout -d 'End after this time, a Go duration; 0s tests once' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand wait" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l record -d 'Append the lines of the server to this file, which `simulate --history` reads' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l resume -d 'Go on behind the last event of the record, if it exists'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -l no-follow -d 'End after the last event that there is'
complete -c armadactl -n "__fish_armadactl_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -f -a "fetch" -d 'Fetch the ended jobs of Lookout, with the errors of their runs'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -f -a "check" -d 'Report what a history holds, and which matchers can match it'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and not __fish_seen_subcommand_from fetch check anonymize" -f -a "anonymize" -d 'Copy a history with other names, so that it can be shown to others'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l record -d 'Write to this file; one that ends with .gz or .zst is compressed' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l lookout-url -d 'The address of Lookout, such as `https://HOST`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l queue -d 'Fetch the jobs of this queue; several times for several [default: all queues]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l since -d 'Fetch jobs submitted since then: `30d` ago, `12h` ago, or an RFC 3339 time' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l until -d 'Fetch jobs submitted before then [default: now]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l rate -d 'Send at most this many requests in a second' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l without-errors -d 'Leave out the errors and debug JSON of runs: up to two requests for each run'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l resume -d 'Go on with an interrupted fetch, which knows its query'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from fetch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l executor-config -d 'Classify failures by the configuration of Armada\'s executors (repeatable)' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l disruptions -d 'Replace rows of the table of disruptions by those of this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l format -d 'Read histories of this format' -r -f -a "auto\t'Detect the format by the first bytes'
yaml\t'`kind: FailureHistory` documents, YAML or JSON'
jsonl\t'JSON Lines, one run per line'
argo-workflows\t'Argo\'s workflows: `kubectl get workflows -o json`, or `argo get -o json`'
armada-events\t'Armada\'s events: POST /v1/job-set/QUEUE/JOBSET, or `armadactl watch --raw`'
aws-batch\t'AWS Batch\'s jobs: `aws batch describe-jobs`'
lookout\t'Lookout\'s jobs: POST /api/v1/jobs, also with the debug JSON of their runs'
pods\t'Pods: `kubectl get pods -o json`, or `-o yaml`'
sacct\t'Slurm\'s accounting: `sacct --allocations --duplicates --parsable2`'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l on-bad-record -d 'Report or skip invalid records' -r -f -a "error\t'Report an error, and stop after 20'
skip\t'Skip the record, and count it in the report'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l record -d 'Write to this file, compressed if it ends with .gz or .zst; `-` for stdout' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s f -l filename -d 'Match messages by the patterns of these policies, whose names stay (repeatable)' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l keep -d 'Keep all names of these kinds' -r -f -a "job\t''
queue\t''
job-set\t''
gang\t''
node\t''
cluster\t''
container\t''
policy\t''
reason\t''
message\t''"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l map -d 'Write each name with its replacement to this file, which only you may read' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l format -d 'Read histories of this format' -r -f -a "auto\t'Detect the format by the first bytes'
yaml\t'`kind: FailureHistory` documents, YAML or JSON'
jsonl\t'JSON Lines, one run per line'
argo-workflows\t'Argo\'s workflows: `kubectl get workflows -o json`, or `argo get -o json`'
armada-events\t'Armada\'s events: POST /v1/job-set/QUEUE/JOBSET, or `armadactl watch --raw`'
aws-batch\t'AWS Batch\'s jobs: `aws batch describe-jobs`'
lookout\t'Lookout\'s jobs: POST /api/v1/jobs, also with the debug JSON of their runs'
pods\t'Pods: `kubectl get pods -o json`, or `-o yaml`'
sacct\t'Slurm\'s accounting: `sacct --allocations --duplicates --parsable2`'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l on-bad-record -d 'Report or skip invalid records' -r -f -a "error\t'Report an error, and stop after 20'
skip\t'Skip the record, and count it in the report'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l disruptions -d 'Replace rows of the table of disruptions by those of this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand history; and __fish_seen_subcommand_from anonymize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -l no-browser -d 'Print the address, and do not open a browser'
complete -c armadactl -n "__fish_armadactl_using_subcommand login" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand logout" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand whoami" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -f -a "get-contexts" -d 'List the contexts of the config file'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -f -a "current-context" -d 'Print the name of the current context'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -f -a "use-context" -d 'Select the current context'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and not __fish_seen_subcommand_from get-contexts current-context use-context view" -f -a "view" -d 'Print the config file without its secrets'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from get-contexts" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from current-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from use-context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand config; and __fish_seen_subcommand_from view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l listen -d 'Listen on this address; port 0 selects a free port' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l db -d 'Store policies and queues in this SQLite file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l auth-token-file -d 'Refuse requests without the token in this file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l allowed-host -d 'Accept requests for this host name too' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l max-body -d 'Refuse request bodies of more bytes than this' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l max-time -d 'Close a connection if a request or response takes longer than this' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l max-connections -d 'Serve at most this many connections at a time; further ones wait' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l full-api -d 'Accept the fields of `v1` policies too'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -l strict -d 'Refuse requests with errors that Armada ignores'
complete -c armadactl -n "__fish_armadactl_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -l server -d 'Check the health of the server, and which form of policies it accepts'
complete -c armadactl -n "__fish_armadactl_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -s o -l output -d 'Print data in this form' -r -f -a "table\t'A table'
wide\t'A table with more columns'
json\t'A JSON document with a published schema'
yaml\t'The same document as YAML'
csv\t'One table as CSV, for spreadsheets'
name\t'Names only'"
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l color -d 'Colour the output [default: auto]' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set or TERM is dumb'
always\t'Always'
never\t'Never'"
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l error-format -d 'Print findings in this form [default: human]' -r -f -a "human\t'With the source line and a caret'
short\t'One line per finding'
json\t'One JSON object per finding'
github\t'GitHub workflow commands, which annotate a pull request'"
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -s c -l context -d 'Use this context of the config file [default: `currentContext`]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l config -d 'Read this config file [default: ~/.armadactl.yaml]' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l armada-rest-url -d 'Send requests to the REST API at this address, such as `https://HOST/api`' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l armadaUrl -d 'Send requests to this address, which begins with http:// or https://' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l request-timeout -d 'End a request after this time, a Go duration [default: 30s]' -r
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l ca-file -d 'Trust also the certificates in this PEM file' -r -F
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l no-headers -d 'Print tables without their header line'
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -s q -l quiet -d 'Print only data and errors'
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -l allow-insecure-auth -d 'Send credentials over plain http to other machines'
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -s v -l verbose -d 'Print each request and the status of its response'
complete -c armadactl -n "__fish_armadactl_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'

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
