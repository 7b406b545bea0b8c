# The attempts in the output of `aws batch describe-jobs` as records, one a line. Each ended attempt is a record; the last
# one of a job has the outcome of the job.
#
#   aws batch describe-jobs --jobs ID.. | jq -cf attempts.jq > attempts.jsonl
def time: if . then . / 1000 | floor | todate else null end;
.jobs[]? | . as $job
| [(.attempts // []), (.eksAttempts // [])] | add | map(select(.stoppedAt)) | length as $count
| to_entries[] | .key as $number | .value as $attempt
| ($attempt.container // ($attempt.containers // [])[0] // (($attempt.taskProperties // [])[0].containers // [])[0] // {}) as $container
| ($number + 1 == $count) as $last
| {
    jobId: $job.jobId,
    queue: ($job.jobQueue | split("/") | last),
    runIndex: $number,
    startedAt: ($attempt.startedAt | time),
    finishedAt: ($attempt.stoppedAt | time),
    node: (($container.containerInstanceArn // $attempt.nodeName // "") | split("/") | last),
    outcome: (
      if $last and $job.status == "SUCCEEDED" then "SUCCEEDED"
      elif $last and ($job.isTerminated or $job.isCancelled) then "TERMINATED"
      elif ($attempt.statusReason // "") == "Job attempt duration exceeded timeout" then "TIMED_OUT"
      else "FAILED" end),
    statusReason: $attempt.statusReason,
    reason: $container.reason,
    exitCode: $container.exitCode
  }
| with_entries(select(.value != null and .value != ""))
