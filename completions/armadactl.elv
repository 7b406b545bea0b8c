
use builtin;
use str;

set edit:completion:arg-completer[armadactl] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'armadactl'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'armadactl'= {
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand simulate 'Replay a failure history through retry policies'
            cand validate 'Check documents and report every mistake with its place'
            cand explain 'Explain a decision, a field of a document, or the id of a finding'
            cand serve 'Run a server for development and tests'
            cand completion 'Print a completion script for a shell'
            cand man 'Print a manual page'
            cand version 'Print the version'
            cand help 'Print help for a command, or `help exit-codes`'
        }
        &'armadactl;simulate'= {
            cand -f 'Read policies and queues from these files or directories (`-` for stdin)'
            cand --filename 'Read policies and queues from these files or directories (`-` for stdin)'
            cand --queue-policies 'Apply these policies, in order, to the jobs of every queue'
            cand --scheduler-config 'Read settings from this scheduler configuration file'
            cand --engine 'Evaluate by the rules of this engine [default: by the form of the policies]'
            cand --missing-policy 'What becomes of the name of a policy that does not exist'
            cand --history 'Replay these histories: files, directories, patterns, `-` for stdin; gzip and zstd too'
            cand --format 'What the histories are'
            cand --assume 'Settle retries that are not on record; always labelled as an assumption'
            cand --on-bad-record 'What becomes of a record that cannot be'
            cand --timelines 'Print timelines; `auto` prints those of documents and of single jobs'
            cand --job 'Report on this job only'
            cand --variant 'Replay through these policies as well, in the same pass: a column each'
            cand --sweep 'Replay with each value of a limit as well, in the same pass: globalMaxRetries=0..10'
            cand --threads 'Replay on so many threads [default: one a core]'
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --exit-code 'Exit 1 if a job failed'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;validate'= {
            cand -f 'Check these files or directories (`-` for stdin)'
            cand --filename 'Check these files or directories (`-` for stdin)'
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;explain'= {
            cand --api 'The form of the document whose field it is'
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand decision 'Try every rule against one failure and say why each matches or not'
        }
        &'armadactl;explain;decision'= {
            cand -f 'Read policies and queues from these files or directories (`-` for stdin)'
            cand --filename 'Read policies and queues from these files or directories (`-` for stdin)'
            cand --queue-policies 'Apply these policies, in order, to the jobs of every queue'
            cand --scheduler-config 'Read settings from this scheduler configuration file'
            cand --engine 'Evaluate by the rules of this engine [default: by the form of the policies]'
            cand --missing-policy 'What becomes of the name of a policy that does not exist'
            cand --failure 'What is known of the failure, such as `exitCode=137`'
            cand --annotation 'An annotation of the job, such as `armadaproject.io/failFast=true`'
            cand --retries-used 'Retries the job has had in all; in v1beta1 its only count'
            cand --rule-retries 'Retries the deciding rule has granted to the job'
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;serve'= {
            cand --listen 'Listen here; port 0 takes a free one'
            cand --db 'Keep everything in this file [default: armadactl/serve.db in the user''s data directory]'
            cand --auth-token-file 'Answer only requests with the token in this file'
            cand --max-body 'Refuse bodies of more bytes than this'
            cand --max-time 'Give a client this long to send a body, or to take an answer'
            cand --max-connections 'Serve this many connections at a time; further ones wait'
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --full-api 'Take the fields of `v1` policies too'
            cand --strict 'Refuse what Armada only ignores'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;completion'= {
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;man'= {
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;version'= {
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'armadactl;help'= {
            cand -o 'Print the data in this form'
            cand --output 'Print the data in this form'
            cand --color 'Colour the output [default: auto]'
            cand --error-format 'Print findings in this form [default: human]'
            cand --no-headers 'Leave the header line of tables out'
            cand -q 'Print the data and errors only'
            cand --quiet 'Print the data and errors only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
    ]
    $completions[$command]
}
