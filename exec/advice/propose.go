package advice

import (
	"fmt"
	"strconv"

	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/internal/lazyre"
)

// sized are arguments whose value decides how much memory a command takes.
var sized = lazyre.New(`--(batch[-_]?size|chunk[-_]?size|workers|num[-_]workers|jobs|parallel|concurrency)(=|\s+)(\d+)`)

// told is what an executor is told about an error for which no patch is known.
var told = map[cause.Error]string{
	cause.ImportError:    "a dependency is missing: use one that is there, or declare and add it in this step",
	cause.SchemaMismatch: "the data does not have the shape that is expected: compare the fields on both sides before changing either",
	cause.SyntaxError:    "what was written cannot be parsed: read it again at the place that the message names",
	cause.TypeError:      "types do not fit: look up the declarations that the message names",
	cause.TestFailure:    "a test does not pass: read what it expects before changing what it tests",
	cause.Unmet:          "a check does not hold: read what it expects, and what it found instead",
	cause.MissingFile:    "a file is missing: look where it should come from, and whether its name is right",
	cause.MissingChange:  "all that the step declares must change: do that, too",
	cause.Undeclared:     "only what the step declares may change: leave everything else as it is",
}

// propose builds a patch where one is known (stage R5). For memory it halves
// what decides how much is taken; for other errors it tells the executor what
// to look at, which helps those that read it.
func propose(c Case, root cause.Cluster) *Patch {
	if root.Error == cause.OutOfMemory {
		if p := smaller(c.Method.Run); p != nil {
			return p
		}
	}
	hint, ok := told[root.Error]
	if !ok || c.Method.Prompt == "" {
		return nil // a command does not read feedback
	}
	if len(root.Signals) > 0 {
		hint += fmt.Sprintf(" (%s)", root.Signals[0].Text)
	}
	return &Patch{Summary: "tell the executor: " + hint, Feedback: []string{hint}}
}

// smaller halves the first argument that decides how much memory a command
// takes.
func smaller(run string) *Patch {
	at := sized.FindStringSubmatchIndex(run)
	if at == nil {
		return nil
	}
	name := run[at[2]:at[3]]
	n, err := strconv.Atoi(run[at[6]:at[7]])
	if err != nil || n < 2 {
		return nil
	}
	half := strconv.Itoa(n / 2)
	return &Patch{Summary: fmt.Sprintf("less at a time: --%s %d instead of %s", name, n/2, run[at[6]:at[7]]),
		Args: map[string]string{name: half}}
}
