// Makes random retry strategies and chains of attempts, lets Argo decide about them, and writes one case a line.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"

	"github.com/argoproj/argo-workflows/v4/workflow/controller"

	wfv1 "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
)

type object = map[string]any

// begin is when the first attempt of each case begins.
var begin = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// mostAttempts is the number of attempts after which a case is left open.
const mostAttempts = 8

func main() {
	cases := flag.Int("cases", 100, "number of cases")
	seed := flag.Int64("seed", 1, "seed of the first case")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for number := 0; number < *cases; number++ {
		text, err := json.Marshal(makeCase(*seed + int64(number)))
		check(err)
		fmt.Fprintf(out, "%s\n", text)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func chance(draw *rand.Rand, percent int) bool { return draw.Intn(100) < percent }

func pick[T any](draw *rand.Rand, values ...T) T { return values[draw.Intn(len(values))] }

func makeCase(seed int64) object {
	draw := rand.New(rand.NewSource(seed))
	name := fmt.Sprintf("wf-%d", seed)
	manifest := workflow(draw, name)
	text, err := json.Marshal(manifest)
	check(err)
	var wf wfv1.Workflow
	check(json.Unmarshal(text, &wf))
	node, err := controller.NewNode(&wf, "main")
	check(err)
	return object{"name": name, "workflow": manifest, "attempts": attempts(draw, node)}
}

// workflow puts a strategy into a template, into the defaults of templates, or into the workflow, or parts of it into two.
func workflow(draw *rand.Rand, name string) object {
	template := object{"name": "main", "container": object{"image": "busybox"}}
	spec := object{"entrypoint": "main", "templates": []any{template}}
	switch draw.Intn(10) {
	case 0:
		spec["retryStrategy"] = strategy(draw)
	case 1:
		spec["templateDefaults"] = object{"retryStrategy": strategy(draw)}
	case 2:
		spec["templateDefaults"] = object{"retryStrategy": strategy(draw)}
		template["retryStrategy"] = part(draw, strategy(draw))
	case 3:
		spec["retryStrategy"] = strategy(draw)
		template["retryStrategy"] = part(draw, strategy(draw))
	default:
		template["retryStrategy"] = strategy(draw)
	}
	return object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
		"metadata": object{"name": name, "namespace": "ml"}, "spec": spec,
	}
}

// part leaves out some fields of a strategy, and never the duration alone.
func part(draw *rand.Rand, whole object) object {
	for _, field := range []string{"limit", "retryPolicy", "backoff", "expression"} {
		if chance(draw, 50) {
			delete(whole, field)
		}
	}
	return whole
}

func number(draw *rand.Rand, value int) any {
	if chance(draw, 50) {
		return strconv.Itoa(value)
	}
	return value
}

func strategy(draw *rand.Rand) object {
	made := object{}
	if !chance(draw, 15) {
		made["limit"] = number(draw, pick(draw, 0, 1, 2, 2, 3, 3, 4, 5, 6, 7, -1))
	}
	if chance(draw, 65) {
		made["retryPolicy"] = pick(draw, "Always", "Always", "OnFailure", "OnError", "OnTransientError")
	}
	if chance(draw, 60) {
		made["backoff"] = backoff(draw)
	}
	if chance(draw, 40) {
		made["expression"] = expression(draw, 3)
	}
	if chance(draw, 10) {
		made["affinity"] = object{"nodeAntiAffinity": object{}}
	}
	return made
}

func backoff(draw *rand.Rand) object {
	made := object{"duration": pick(draw, "0", "1", "5", "10", "30s", "1m", "1m30s", "100ms", "1.5h", "2h", "500us")}
	if chance(draw, 70) {
		made["factor"] = number(draw, pick(draw, 0, 1, 2, 2, 3, 5, 10, -2, 1000000))
	}
	if chance(draw, 40) {
		made["cap"] = pick(draw, "5", "20", "1m", "45s", "10m", "3h")
	}
	if chance(draw, 45) {
		made["maxDuration"] = pick(draw, "0", "30", "1m", "2m", "5m", "1h", "6h", "1000h")
	}
	return made
}

var phases = []string{"Failed", "Error"}
var messages = []string{
	"", "pod deleted", "main: OOMKilled (exit code 137)", "main: Error (exit code 1)", "node 'a' shut down",
	"Get \"https://10.0.0.1\": dial tcp: i/o timeout", "etcdserver: leader changed", "upper: no more rows in this result set",
	"read: connection reset by peer", "a \\ b's", "1", "2.5",
}
var codes = []string{"-1", "0", "1", "2", "42", "137", "143", "255"}

func quote(draw *rand.Rand, text string) string {
	switch draw.Intn(3) {
	case 0:
		return "`" + text + "`"
	case 1:
		text, _ := json.Marshal(text)
		return string(text)
	default:
		escaped := ""
		for _, letter := range text {
			if letter == '\'' || letter == '\\' {
				escaped += "\\"
			}
			escaped += string(letter)
		}
		return "'" + escaped + "'"
	}
}

// expression makes a condition of the part of the language that armadactl evaluates.
func expression(draw *rand.Rand, depth int) string {
	if depth > 0 && chance(draw, 45) {
		left, right := expression(draw, depth-1), expression(draw, depth-1)
		switch draw.Intn(6) {
		case 0:
			return "!(" + left + ")"
		case 1:
			return "not (" + left + ")"
		case 2:
			return "(" + left + ") " + pick(draw, "&&", "and") + " (" + right + ")"
		case 3:
			return left + " " + pick(draw, "&&", "||", "and", "or") + " " + right
		default:
			return left + " " + pick(draw, "&&", "||") + " " + right
		}
	}
	compare := func() string { return pick(draw, "==", "!=", "<", "<=", ">", ">=") }
	whole := pick(draw, "asInt(lastRetry.exitCode)", "int(lastRetry.exitCode)", "asInt(retries)", "asInt(lastRetry.duration)",
		"asFloat(lastRetry.duration)", "float(lastRetry.exitCode)", "asFloat(retries)")
	text := pick(draw, "lastRetry.exitCode", "lastRetry.status", "lastRetry.message", "lastRetry.duration", "retries")
	some := pick(draw, pick(draw, codes...), pick(draw, phases...), pick(draw, messages...), "60", "3600", "5")
	switch draw.Intn(9) {
	case 0:
		return whole + " " + compare() + " " + pick(draw, "0", "1", "2", "3", "60", "137", "255", "-1", "1.5", "600")
	case 1:
		return pick(draw, "1", "2.5", "137") + " " + compare() + " " + whole
	case 2:
		return text + " " + compare() + " " + quote(draw, some)
	case 3:
		return "lastRetry.status " + pick(draw, "==", "!=") + " " + quote(draw, pick(draw, phases...))
	case 4:
		list := quote(draw, some) + ", " + quote(draw, pick(draw, codes...))
		return text + " " + pick(draw, "in", "not in") + " [" + list + "]"
	case 5:
		return whole + " " + pick(draw, "in", "not in") + " [1, 2, 137, -1]"
	case 6:
		pattern := pick(draw, "^pod", "exit code [0-9]+", "(?i)oom", "imminent node shutdown|pod deleted", "e$", "^1?37$", "")
		return text + " " + pick(draw, "matches", "not matches") + " " + quote(draw, pattern)
	case 7:
		word := pick(draw, "contains", "startsWith", "endsWith", "not contains", "not startsWith")
		return text + " " + word + " " + quote(draw, pick(draw, "pod", "", "deleted", "7", "Error", "1)"))
	default:
		return pick(draw, "true", "false", "lastRetry.exitCode != \"0\"")
	}
}

// attempts lets the node run until it ends, and returns each attempt with the decision about it.
func attempts(draw *rand.Rand, node *controller.Node) []any {
	var made []any
	now := begin
	for len(made) < mostAttempts {
		length := pick(draw, 0, 1, 5, 20, 59, 60, 61, 300, 3599, 7200, 86400, 1000000, 1234567)
		attempt := controller.Attempt{
			Phase: wfv1.NodePhase(pick(draw, "Failed", "Failed", "Failed", "Error")), Message: pick(draw, messages...),
			Started: now, Finished: now.Add(time.Duration(length) * time.Second),
		}
		if !chance(draw, 25) {
			code := pick(draw, codes...)
			attempt.ExitCode = &code
		}
		answer := node.Decide(attempt)
		record := object{
			"outcome": attempt.Phase, "startedAt": attempt.Started.Format(time.RFC3339),
			"finishedAt": attempt.Finished.Format(time.RFC3339), "message": attempt.Message,
		}
		if attempt.ExitCode != nil {
			code, err := strconv.Atoi(*attempt.ExitCode)
			check(err)
			record["exitCode"] = code
		}
		expected := object{"retry": answer.Retry, "waitNanos": answer.Wait.Nanoseconds(), "phase": answer.Phase}
		if !answer.Retry {
			expected["message"], expected["isFault"] = answer.Message, answer.Fault != ""
		}
		made = append(made, object{"record": record, "expected": expected})
		if !answer.Retry {
			break
		}
		// Waits below a second end within it: records have whole seconds.
		begun := attempt.Finished.Add(answer.Wait).Add(time.Duration(draw.Intn(20)) * time.Second)
		now = begun.Truncate(time.Second)
		if now.Before(begun) {
			now = now.Add(time.Second)
		}
		if now.Year() > 2200 {
			break
		}
	}
	return made
}
