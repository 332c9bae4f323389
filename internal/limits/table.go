package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A row is one goal, with both sides of its ratio.
type row struct {
	goal, tree   string
	ours, theirs string
	ratio        float64
	target       string
	met          bool
	judged       bool   // whether there is a target
	stolen       string // the part of the processors that others took meanwhile
}

type table []row

// A pair is what both sides of a ratio took.
type pair struct{ ours, theirs []time.Duration }

// timed measures one call.
func timed(into *[]time.Duration, do func() error) error {
	start := time.Now()
	err := do()
	*into = append(*into, time.Since(start))
	return err
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// ratio adds a row whose target is how many times theirs ours may take; 0:
// none.
func (t *table) ratio(goal, tree string, ours, theirs []time.Duration, target float64) {
	if len(ours) == 0 || len(theirs) == 0 {
		return // nobody wants this row
	}
	a, b := median(ours), median(theirs)
	r := row{goal: goal, tree: tree, ours: shown(a), theirs: shown(b), ratio: float64(a) / float64(b),
		judged: target > 0}
	if r.judged {
		r.target, r.met = fmt.Sprintf("≤ %.2f", target), r.ratio <= target
	}
	*t = append(*t, r)
}

// grown adds a row that says how much more a later row takes of its limit than
// an earlier one; a disk that became slower slows both of its sides.
func (t *table) grown(goal string, before, after row, target float64) {
	by := after.ratio / before.ratio
	*t = append(*t, row{goal: goal, ratio: by, target: fmt.Sprintf("≤ %.2f", target), judged: true, met: by <= target})
}

func shown(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	}
	return fmt.Sprintf("%.2f ms", float64(d)/1e6)
}

// print writes the table as Markdown.
func (t table) print(w io.Writer, s settings) {
	fmt.Fprintf(w, "%s/%s, %d CPUs, %s, %d rounds, load %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		runtime.Version(), s.rounds, load())
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', tabwriter.StripEscape)
	fmt.Fprintln(tw, "| goal\t| tree\t| ours\t| theirs\t| ratio\t| target\t| met\t| stolen |")
	fmt.Fprintln(tw, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|--- |")
	for _, r := range t {
		met := ""
		if r.judged {
			met = map[bool]string{true: "yes", false: "**no**"}[r.met]
		}
		ratio := ""
		if r.ratio != 0 {
			ratio = fmt.Sprintf("%.2f", r.ratio)
		}
		fmt.Fprintf(tw, "| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s\t| %s |\n", r.goal, r.tree, r.ours, r.theirs, ratio,
			r.target, met, r.stolen)
	}
	tw.Flush()
}

// load is the load average of the machine, where it says so.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:1], " ")
}
