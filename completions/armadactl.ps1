
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'armadactl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'armadactl'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'armadactl' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Replay a failure history through retry policies')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check documents and report every mistake with its place')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a decision, a field of a document, or the id of a finding')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Run a server for development and tests')
            [CompletionResult]::new('completion', 'completion', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page')
            [CompletionResult]::new('version', 'version', [CompletionResultType]::ParameterValue, 'Print the version')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print help for a command, or `help exit-codes`')
            break
        }
        'armadactl;simulate' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read policies and queues from these files or directories (`-` for stdin)')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read policies and queues from these files or directories (`-` for stdin)')
            [CompletionResult]::new('--queue-policies', '--queue-policies', [CompletionResultType]::ParameterName, 'Apply these policies, in order, to the jobs of every queue')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'Read settings from this scheduler configuration file')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Evaluate by the rules of this engine [default: by the form of the policies]')
            [CompletionResult]::new('--missing-policy', '--missing-policy', [CompletionResultType]::ParameterName, 'What becomes of the name of a policy that does not exist')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Replay these histories: files, directories, patterns, `-` for stdin; gzip and zstd too')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'What the histories are')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Settle retries that are not on record; always labelled as an assumption')
            [CompletionResult]::new('--on-bad-record', '--on-bad-record', [CompletionResultType]::ParameterName, 'What becomes of a record that cannot be')
            [CompletionResult]::new('--timelines', '--timelines', [CompletionResultType]::ParameterName, 'Print timelines; `auto` prints those of documents and of single jobs')
            [CompletionResult]::new('--job', '--job', [CompletionResultType]::ParameterName, 'Report on this job only')
            [CompletionResult]::new('--variant', '--variant', [CompletionResultType]::ParameterName, 'Replay through these policies as well, in the same pass: a column each')
            [CompletionResult]::new('--sweep', '--sweep', [CompletionResultType]::ParameterName, 'Replay with each value of a limit as well, in the same pass: globalMaxRetries=0..10')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Replay on so many threads [default: one a core]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--exit-code', '--exit-code', [CompletionResultType]::ParameterName, 'Exit 1 if a job failed')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;validate' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Check these files or directories (`-` for stdin)')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Check these files or directories (`-` for stdin)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;explain' {
            [CompletionResult]::new('--api', '--api', [CompletionResultType]::ParameterName, 'The form of the document whose field it is')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('decision', 'decision', [CompletionResultType]::ParameterValue, 'Try every rule against one failure and say why each matches or not')
            break
        }
        'armadactl;explain;decision' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read policies and queues from these files or directories (`-` for stdin)')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read policies and queues from these files or directories (`-` for stdin)')
            [CompletionResult]::new('--queue-policies', '--queue-policies', [CompletionResultType]::ParameterName, 'Apply these policies, in order, to the jobs of every queue')
            [CompletionResult]::new('--scheduler-config', '--scheduler-config', [CompletionResultType]::ParameterName, 'Read settings from this scheduler configuration file')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Evaluate by the rules of this engine [default: by the form of the policies]')
            [CompletionResult]::new('--missing-policy', '--missing-policy', [CompletionResultType]::ParameterName, 'What becomes of the name of a policy that does not exist')
            [CompletionResult]::new('--failure', '--failure', [CompletionResultType]::ParameterName, 'What is known of the failure, such as `exitCode=137`')
            [CompletionResult]::new('--annotation', '--annotation', [CompletionResultType]::ParameterName, 'An annotation of the job, such as `armadaproject.io/failFast=true`')
            [CompletionResult]::new('--retries-used', '--retries-used', [CompletionResultType]::ParameterName, 'Retries the job has had in all; in v1beta1 its only count')
            [CompletionResult]::new('--rule-retries', '--rule-retries', [CompletionResultType]::ParameterName, 'Retries the deciding rule has granted to the job')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;serve' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Listen here; port 0 takes a free one')
            [CompletionResult]::new('--db', '--db', [CompletionResultType]::ParameterName, 'Keep everything in this file [default: armadactl/serve.db in the user''s data directory]')
            [CompletionResult]::new('--auth-token-file', '--auth-token-file', [CompletionResultType]::ParameterName, 'Answer only requests with the token in this file')
            [CompletionResult]::new('--max-body', '--max-body', [CompletionResultType]::ParameterName, 'Refuse bodies of more bytes than this')
            [CompletionResult]::new('--max-time', '--max-time', [CompletionResultType]::ParameterName, 'Give a client this long to send a body, or to take an answer')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'Serve this many connections at a time; further ones wait')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--full-api', '--full-api', [CompletionResultType]::ParameterName, 'Take the fields of `v1` policies too')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Refuse what Armada only ignores')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;completion' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;man' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;version' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'armadactl;help' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print the data in this form')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output [default: auto]')
            [CompletionResult]::new('--error-format', '--error-format', [CompletionResultType]::ParameterName, 'Print findings in this form [default: human]')
            [CompletionResult]::new('--no-headers', '--no-headers', [CompletionResultType]::ParameterName, 'Leave the header line of tables out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the data and errors only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
