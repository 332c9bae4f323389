package document

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
)

// A standing is what the word of a completed step rests on.
type standing struct {
	Basis history.Basis `json:"basis"`
	Why   string        `json:"why"`
	// Verify would have it proved, as a line of the plan in its format; "" where
	// somebody looked, or nobody has to.
	Verify string `json:"verify,omitempty"`
	// leftOut is set of work that was there already, which nobody looked at: a
	// check shows nothing more while the step is left out.
	leftOut bool
	// looks is set of a step that may change nothing: no check fails without it.
	looks bool
}

// bases are how many steps rest on what.
type bases struct {
	Proved     int `json:"proved"`
	Reviewed   int `json:"reviewed"`
	SelfTested int `json:"self_tested"`
	Declared   int `json:"declared"`
	Unverified int `json:"unverified"`
}

// String is as in "3 proved · 2 reviewed · 1 declared"; "" where no step is
// completed.
func (b bases) String() string {
	var parts []string
	for i, n := range []int{b.Proved, b.Reviewed, b.SelfTested, b.Declared, b.Unverified} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, history.Bases()[i]))
		}
	}
	return strings.Join(parts, " · ")
}

// add counts a step.
func (b *bases) add(basis history.Basis) {
	switch basis {
	case history.Proved:
		b.Proved++
	case history.Reviewed:
		b.Reviewed++
	case history.SelfTested:
		b.SelfTested++
	case history.Declared:
		b.Declared++
	case history.Unverified:
		b.Unverified++
	}
}

// stand says of all steps what they rest on, and counts that.
func (rep *Model) stand(p *plan.Plan, r *history.Run) {
	standings, essential, looks, contract := r.Standings(), p.Essential(), p.Looking(), &guard.Contract{Plan: p}
	for i, s := range rep.steps {
		basis, why := standings.Of(r.Steps[i])
		if basis == "" {
			continue
		}
		rep.Counts.Bases.add(basis)
		s.Standing = &standing{Basis: basis, Why: why}
		_, in := contract.At(s.Address)
		if in != nil && essential(in) && !basis.Counts() && !standings.Fell(s.Address) {
			if s.Standing.leftOut = s.Skipped != nil && s.Skipped.Done; !s.Standing.leftOut {
				if s.Standing.Verify = verify(s, r.Steps[i], r); looks(in) || r.Steps[i].Idle() {
					s.Standing.looks, s.Standing.Verify = true, NotCritical(r.Started.Format)
				}
			}
		}
	}
}

// verify is a check that would tell the work of a step from its absence, as far
// as can be told from what it changed, in the words of the plan's format. A file
// that its task owes goes before one that was written besides.
func verify(s *step, of *history.Step, r *history.Run) string {
	symbol, path := "", ""
	var owed []string
	if o := r.Task(of.Task).Outcome(); o != nil {
		owed = o.Artifacts
	}
	if e := s.account(); e != nil {
		for _, x := range slices.Backward(e.Symbols) {
			if x.Op == "created" {
				symbol = x.Name
			}
		}
		for _, c := range slices.Backward(e.Changes) {
			if c.Op != "deleted" && c.Kind != "dir" && utf8.ValidString(c.shown) && !steers(of, c.shown) &&
				(slices.Contains(owed, c.shown) || !slices.Contains(owed, path)) {
				path = c.shown
			}
		}
	}
	command := "what fails without the work"
	if plainPath.MatchString(path) {
		command = "grep -q 'what must be there' " + path
	}
	if line := r.Started.Format.Verify(command); line != "" {
		return line
	}
	const form = "postconditions = [{ kind = %s }]"
	switch {
	case symbol != "":
		return fmt.Sprintf(form, `"symbol_exists", symbol = `+tomlString(symbol))
	case path != "":
		return fmt.Sprintf(form, `"file_contains", path = `+tomlString(path)+`, text = "what must be there"`)
	}
	return fmt.Sprintf(form, `"command", run = "what fails without the work"`)
}

// plainPath is a path that means itself in a command, in JSON and in XML.
var plainPath = lazyre.New(`^[\w./][\w./@+-]*$`)

// steers reports whether a file that a step wrote is one of those that had its
// check hold.
func steers(s *history.Step, path string) bool {
	return slices.ContainsFunc(s.Controls(), func(c history.Control) bool {
		return !c.Proves() && slices.Contains(c.Own, path)
	})
}

// NotCritical is what has the goal not depend on a step, in the words of a plan's
// format, or of another one.
func NotCritical(format plan.Format) string {
	const line = "critical_flag = false"
	if format.Verify("") != "" {
		return line + ", which a native plan can say: planlock convert"
	}
	return line
}

// unlooked are the steps that nobody looked at, and that decide whether the goal
// is achieved.
func (rep *Model) unlooked() []*step {
	var steps []*step
	for _, s := range rep.steps {
		if s.Standing != nil && s.Standing.Verify != "" {
			steps = append(steps, s)
		}
	}
	return steps
}

// unverified are the steps of which nobody but who did them says that they are
// done, and once the run has ended the completion criteria in words that nobody
// found met, a line each.
func unverified(m *Model) []string {
	var all []string
	for _, s := range m.steps {
		if s.Standing == nil || s.Standing.Basis.Counts() {
			continue
		}
		line := fmt.Sprintf("step %s, %s: %s: %s", s.Address, s.Title, s.Standing.Basis, s.Standing.Why)
		if s.Standing.Verify != "" {
			line += "; the plan may say " + s.Standing.Verify
		}
		all = append(all, line)
	}
	for i, text := range m.plan.Completion.AcceptanceCriteria {
		granted := func(j gate.Judgement) bool { return m.of.Grants(j, text) }
		if m.of.Ended != nil && !slices.ContainsFunc(m.of.Final, granted) {
			all = append(all, fmt.Sprintf("completion criterion %d: %s", i+1, text))
		}
	}
	return all
}

// leftOut are the addresses of the steps that were left out, as their work was
// there, and that decide whether the goal is achieved.
func (rep *Model) leftOut() (steps []plan.Address) {
	for _, s := range rep.steps {
		if s.Standing != nil && s.Standing.leftOut {
			steps = append(steps, s.Address)
		}
	}
	return steps
}

// basis is what the task rests on: the least of its completed steps; "" where
// one is not.
func (t *task) basis() (least history.Basis) {
	rank := func(b history.Basis) int {
		for i, known := range history.Bases() {
			if known == b {
				return i
			}
		}
		return 0
	}
	for _, s := range t.Steps {
		if s.Standing == nil {
			return ""
		}
		if least == "" || rank(s.Standing.Basis) > rank(least) {
			least = s.Standing.Basis
		}
	}
	return least
}
