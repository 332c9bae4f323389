package phase

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// Completed reports whether the summary of a plan says that all of the plan was
// done. A summary that says nothing of it is written when it is; one that
// counts tasks that failed, or that were left, says that it is not.
func Completed(name string, text []byte) bool {
	r := &reader{t: outline.New(name, text)}
	r.matter()
	for _, key := range []string{"tasks_failed", "tasks_skipped", "tasks_blocked"} {
		if n := r.front.get(key).text; n != "" && strings.Trim(n, "0") != "" {
			return false
		}
	}
	status, outcome := r.front.get("status").text, r.front.get("outcome").text
	return means(status) && (outcome == "PARTIAL" || means(outcome)) // in part: nobody looked at all of it
}

// means reports whether a word stands for a plan of which nothing is left to do;
// none does where nothing else is said.
func means(word string) bool { return word == "" || slices.Contains(complete, strings.ToLower(word)) }

// complete are words for a plan of which nothing is left to do.
var complete = []string{"executed", "achieved", "complete", "completed", "done", "finished", "passed", "verified"}
