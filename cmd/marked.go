package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// doneMarked acknowledges all steps that the source of a plan marks as done.
const doneMarked = "done:marked"

// marked are the steps that the source of a plan marks as done.
func marked(draft *plan.Draft) (list []plan.Address) {
	for task, step := range draft.Plan.Steps() {
		if task.MarksDone(step) {
			list = append(list, step.Address)
		}
	}
	return list
}

// acceptedOf are the codes behind --ack, for a plan.
func acceptedOf(draft *plan.Draft, given []string) []string {
	var all []string
	for _, code := range codes(given) {
		if code != doneMarked {
			all = append(all, code)
			continue
		}
		for _, a := range marked(draft) {
			all = append(all, a.DoneCode())
		}
	}
	return all
}

// tellMarked says of the steps that are marked as done, and are not left out, that
// they are carried out, and what leaves them out.
func tellMarked(w io.Writer, draft *plan.Draft, accepted []string) {
	const most = 8
	var names []string
	for _, a := range marked(draft) {
		if !slices.Contains(accepted, a.DoneCode()) {
			names = append(names, string(a))
		}
	}
	if n := len(names); n > 0 {
		if n > most {
			names = append(names[:most], "…")
		}
		are := "are marked as done, and are carried out all the same"
		if n == 1 {
			are = "is marked as done, and is carried out all the same"
		}
		fmt.Fprintf(w, "planlock: %s %s (%s): with --ack %s what is marked is looked at and left out, "+
			"and the run ends PARTIAL, as nobody saw it made; what is taken out of the plan is not asked for\n", plural(n, "step"), are,
			escaped(strings.Join(names, ", ")), doneMarked)
	}
}
