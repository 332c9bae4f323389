package exec

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// acceptRung is what stands in the journal where a person accepted what an attempt did.
const acceptRung = "accept"

// acceptedNamed is how many changes are named in the words that accept them; of more there is the number, and
// the evidence names them.
const acceptedNamed = 3

func choiceAccept(s *history.Step, words string) ask.Choice {
	return ask.Choice{Key: accept, Label: fmt.Sprintf("accept it: it belongs to %s from now on", s.Address),
		Consequence: "what the attempt did is put back and judged anew, with these changes declared; the record keeps your word",
		Acknowledge: words}
}

// acceptable says what would have to be declared for the step's latest attempt to hold, and the words that a person
// accepts it with. It is nil where a person's word is not enough: where something else is wrong as well (a
// non-goal above all), where the tree is not kept or its effects have been compensated, and for
// files that no step may touch.
func (e *execution) acceptable(s *history.Step, f *history.AttemptFailed) (*history.Addendum, string) {
	a := s.Last()
	if f == nil || f.Class != history.Breach || a == nil || a.Accounted == nil || a.Accounted.Whole != "" ||
		a.Discarded == (checkpoint.Snapshot{}) || a.Compensated != nil {
		return nil, ""
	}
	over := map[string]bool{}
	for _, finding := range f.Findings {
		switch finding.Code {
		case gate.CodeArtifactExtra, gate.CodeSymbolExtra, gate.CodeLimitFiles, gate.CodeLimitLines, gate.CodeLimitModules:
			over[finding.Code] = true
		default:
			return nil, ""
		}
	}
	grant := &history.Addendum{}
	var words []string
	account := a.Accounted.Account
	if len(account.Missing) > 0 {
		return nil, ""
	}
	// Of gates that said no, the first is heard; what the others would say stands in the account.
	if strict := e.plan.Profile == plan.Strict; over[gate.CodeArtifactExtra] || over[gate.CodeSymbolExtra] ||
		strict && len(account.Extra)+len(account.SymbolsExtra) > 0 {
		var ok bool
		if grant.Artifacts, words, ok = declare(account); !ok {
			return nil, ""
		}
	}
	_, step := e.step(s)
	step = granted(step, s.Addenda)
	words = append(words, limitsOf(grant, a.Accounted, step, over)...)
	return grant, "accept " + strings.Join(words, " and ")
}

// declare is what an account has too much, as a declaration. It is not ok where a path could not be declared by
// its name alone, or belongs to a repository or to planlock.
func declare(account ledger.Account) (*ledger.Declared, []string, bool) {
	d := &ledger.Declared{}
	var names []string
	for _, c := range account.Extra {
		if strings.ContainsAny(c.Path, `*?[]{}\`) || !utf8.ValidString(c.Path) || reserved(c.Path) {
			return nil, nil, false
		}
		switch c.Op {
		case ledger.Created:
			d.Create = append(d.Create, c.Path)
		case ledger.Modified:
			d.Modify = append(d.Modify, c.Path)
		case ledger.Deleted:
			d.Delete = append(d.Delete, c.Path)
		}
		names = append(names, c.Path)
	}
	for _, s := range account.SymbolsExtra {
		if s.Op == ledger.Deleted {
			d.SymbolsRemove = append(d.SymbolsRemove, s.Name)
		} else {
			d.SymbolsAdd = append(d.SymbolsAdd, s.Name)
		}
		names = append(names, s.Name)
	}
	if len(names) > acceptedNamed {
		names = []string{fmt.Sprintf("%d changes", len(names))}
	}
	return d, names, len(names) > 0
}

// reserved reports whether a path belongs to a repository or to planlock: no word makes that a step's business.
func reserved(name string) bool {
	return slices.ContainsFunc(strings.Split(path.Clean(name), "/"), func(part string) bool {
		return strings.EqualFold(part, ".git") || strings.EqualFold(part, Own)
	})
}

// limitsOf raises the limits that were exceeded to what the attempt needed, each of them in the words.
func limitsOf(grant *history.Addendum, done *history.Accounted, step *plan.Step, over map[string]bool) []string {
	var words []string
	if over[gate.CodeLimitFiles] {
		n := 0
		for _, c := range done.Changes {
			if c.Kind() != ledger.Dir {
				n++
			}
		}
		grant.MaxFiles = &n
		words = append(words, fmt.Sprintf("%d files", n))
	}
	if over[gate.CodeLimitLines] {
		n := done.Lines.Added + done.Lines.Removed
		grant.MaxLines = &n
		words = append(words, fmt.Sprintf("%d lines", n))
	}
	if over[gate.CodeLimitModules] {
		grant.Modules = slices.Clone(step.Limits.Modules)
		for _, c := range done.Changes {
			if dir := path.Dir(c.Path); c.Kind() != ledger.Dir && !slices.Contains(grant.Modules, dir) {
				grant.Modules = append(grant.Modules, dir)
			}
		}
		words = append(words, "folders "+strings.Join(grant.Modules[len(step.Limits.Modules):], " "))
	}
	return words
}

// granted is a step of the plan with what persons have accepted besides. The plan's own is not changed.
func granted(step *plan.Step, addenda []history.Addendum) *plan.Step {
	widened := *step
	for _, a := range addenda {
		if d := a.Artifacts; d != nil {
			have := plan.Artifacts{}
			if widened.Artifacts != nil {
				have = *widened.Artifacts
			}
			widened.Artifacts = &plan.Artifacts{
				Create: slices.Concat(have.Create, d.Create), Modify: slices.Concat(have.Modify, d.Modify), Delete: slices.Concat(have.Delete, d.Delete),
				SymbolsAdd: slices.Concat(have.SymbolsAdd, d.SymbolsAdd), SymbolsRemove: slices.Concat(have.SymbolsRemove, d.SymbolsRemove)}
		}
		if a.MaxFiles == nil && a.MaxLines == nil && a.Modules == nil {
			continue
		}
		limits := *widened.Limits // what was exceeded was there
		if a.MaxFiles != nil {
			limits.MaxFiles = a.MaxFiles
		}
		if a.MaxLines != nil {
			limits.MaxLines = a.MaxLines
		}
		if a.Modules != nil {
			limits.Modules = a.Modules
		}
		widened.Limits = &limits
	}
	return &widened
}

// reinstated is the attempt whose tree the next one puts back, or nil if an executor is to be called.
func reinstated(s *history.Step) *history.Attempt {
	number := 0
	last := s.Last()
	switch {
	case last == nil:
		return nil
	case s.Next != nil && s.Next.Rung == acceptRung:
		number = last.Number
	case s.Next == nil: // it was cut off while it was put back
		number = last.Method.Reinstates
	}
	for _, a := range s.Attempts {
		if a.Number == number && number != 0 {
			return a
		}
	}
	return nil
}

// reinstate is an executor that puts back what an attempt did, and says what it said.
func (e *execution) reinstate(a *history.Attempt) Executor {
	return Func(func(ctx context.Context, _ Work) (Outcome, error) {
		want, err := e.store.Tree(ctx, a.Discarded)
		if err != nil {
			return Outcome{}, fmt.Errorf("exec: what attempt %d did cannot be put back: %w", a.Number, err)
		}
		have, err := e.scanner.Scan(ctx, e.dir, e.tree)
		if err != nil {
			return Outcome{}, err
		}
		if err := e.store.Restore(ctx, e.dir, want, have); err != nil {
			return Outcome{}, fmt.Errorf("exec: what attempt %d did cannot be put back: %w", a.Number, err)
		}
		out := Outcome{}
		if a.Said != nil {
			out = Outcome{Output: a.Said.Output, Stdout: a.Said.Output, Exit: a.Said.Exit, Stateful: a.Said.Stateful}
		}
		return out, nil
	})
}
