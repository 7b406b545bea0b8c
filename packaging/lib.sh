# Functions of the scripts beside it; they source this file.

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The version and the target in the name of an archive: armadactl-VERSION-TARGET.tar.gz.
name_of() { basename "$1" .tar.gz; }
version_of() { name_of "$1" | cut -d- -f2; }
target_of() { name_of "$1" | cut -d- -f3-; }

# Copies README's example into a directory.
copy_example() { cp -r examples/policies examples/ml-training.yaml "$1"; }

# Runs README's example with a program, which is the words of a command, and fails unless it prints the answer. $EXAMPLE
# is the directory of the example, as the program sees it.
expect_first_result() {
    local printed
    printed=$("$@" simulate -f "$EXAMPLE/policies" --queue-policies infra,ml-training --history "$EXAMPLE/ml-training.yaml")
    grep -q '^Failed: ml-training rule 0 (OOMKilled) has used its 3 retries' <<<"$printed" || fail "it printed $printed"
}

# Fails if a directory has files other than those of the example.
expect_no_rest() {
    local left
    left=$(find "$1" -mindepth 1 -not -path "$2" -not -path "$2/policies*" -not -path "$2/ml-training.yaml")
    [ -z "$left" ] || fail "it left $left"
}

# Prints the size of a file, and the time since $BEGIN, which is that from the artifact to the first result.
begin() { BEGIN=$(date +%s%N); }
report() { echo "$(basename "$1"): $(stat -c %s "$1") bytes; first result after $((($2 - BEGIN) / 1000000)) ms" >&2; }
now() { date +%s%N; }
