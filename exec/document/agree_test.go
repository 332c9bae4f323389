package document_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/agree"
	"github.com/planlock/planlock/exec/internal/engine/simulate"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestDocumentsAgree draws the documents of random runs, and of all stories at
// many records: no two of them say different things of the same thing.
func TestDocumentsAgree(t *testing.T) {
	compared, games := 0, uint64(400)
	if testing.Short() {
		games = 40
	}
	hold := func(name string, files []drawnFile) {
		t.Helper()
		docs := map[string]string{}
		for _, f := range files {
			docs[f.Name] = string(f.Content)
		}
		found, err := agree.Compare(docs)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, line := range found.Contradictions {
			t.Errorf("%s: %s", name, line)
		}
		compared += found.Compared
	}
	for _, s := range stories {
		if s.name == "hostile" {
			continue // what it says is escaped for each place
		}
		told := s.tell(t)
		for n := range told.records {
			if part := *told; n%7 == 0 || n == len(told.records)-1 {
				part.records = told.records[:n+1]
				hold(s.name, draw(t, told.plan, part.fold()))
			}
		}
	}
	for seed := range games {
		g := simulate.New(seed)
		w := worker{rand.New(rand.NewPCG(seed, 1))}
		g.Work, g.End = w.work, w.end
		if err := g.Play(); err != nil {
			t.Fatal(err)
		}
		hold(fmt.Sprint("seed ", seed), draw(t, g.Decider().Contract.Plan, g.Run()))
	}
	if want := int(games) * 120; compared < want {
		t.Errorf("only %d things stood in more than one document, and %d are wanted", compared, want)
	}
}

// A worker does anything, and gates and reviewers say anything of it.
type worker struct{ *rand.Rand }

// work is what is recorded of an attempt.
func (w worker) work(s *history.Step, _ int) []history.Fact {
	changes, lines, total := []ledger.Change{}, map[string]ledger.LineCount{}, ledger.LineCount{}
	for _, name := range []string{"a.go", "b/c.txt", "b/d.txt", "e"}[w.IntN(5):] {
		change := []ledger.Change{created(name), modified(name),
			{Path: name, Op: ledger.Deleted, Before: entry(name, 1)}}[w.IntN(3)]
		n := ledger.LineCount{Added: w.IntN(9), Removed: w.IntN(9)}
		changes, lines[name] = append(changes, change), n
		total.Added, total.Removed = total.Added+n.Added, total.Removed+n.Removed
	}
	if w.IntN(4) == 0 {
		changes = append(changes, ledger.Change{Path: "b", Op: ledger.Created, After: &ledger.Entry{Path: "b", Kind: ledger.Dir}})
	}
	facts := []history.Fact{&history.Accounted{Tree: digest(fmt.Sprint(w.Int())), Changes: changes, Unsaid: w.IntN(2) == 0,
		Account: ledger.Reconcile(ledger.Declared{}, changes, nil), Lines: total, PerPath: lines, Total: len(changes)}}
	for _, name := range []string{"syntax", "types", "limits", "postconditions", "expected-output"}[w.IntN(6):] {
		facts = append(facts, &history.Judged{w.judgement(name, gate.After)})
	}
	if w.IntN(4) == 0 {
		facts = append(facts, &history.Judged{w.review()})
	}
	if w.IntN(2) == 0 {
		facts = append(facts, w.controlled())
	}
	return facts
}

// end is what is recorded when a run ends.
func (w worker) end() []history.Fact {
	said, status := w.judgement("completion", gate.Final), history.NotAchieved
	if said.Level = gate.BlocksStep; !said.Blocks() {
		status = []history.Status{history.Achieved, history.Partial}[w.IntN(2)]
	}
	return []history.Fact{&history.Judged{said}, w.controlled(), &history.Ended{Status: status, Tree: digest("end")}}
}

// judgement is any of a gate.
func (w worker) judgement(name string, phase gate.Phase) gate.Judgement {
	j := gate.Judgement{Gate: name, Level: gate.Level(w.IntN(3)), Phase: phase, Took: time.Second}
	switch v := gate.Holds("it looked"); w.IntN(6) {
	case 0:
		v = gate.Breaks(gate.Finding{Message: "no"})
		v.Tolerated = phase != gate.Final && w.IntN(2) == 0
		j.Verdict = &v
	case 1:
		v.Result = gate.Partial
		j.Verdict = &v
	case 3:
		v.Idle = true
		j.Verdict = &v
	case 2:
		j.Err = fmt.Errorf("nobody knows")
	default:
		j.Verdict = &v
	}
	return j
}

// review is any review of a step.
func (w worker) review() gate.Judgement {
	j := w.judgement("reviewer", gate.Reviewing)
	if j.Verdict != nil {
		met := w.IntN(3) > 0
		j.Verdict.Review = &gate.Review{Reviewer: "somebody", Criteria: []gate.Criterion{{Text: "it is good", Met: &met,
			Citations: []gate.Citation{{Path: "e", Shows: gate.ShowsChange}}}}}
	}
	return j
}

// controlled are any negative controls.
func (w worker) controlled() *history.Controlled {
	results := []history.ControlResult{history.ControlFailed, history.ControlFailed, history.ControlHolds,
		history.ControlUndecided}
	c := history.Control{Check: plan.Check{Kind: "command", Run: "make test"}.String(), Before: results[w.IntN(4)],
		Emptied: results[w.IntN(4)]}
	if w.IntN(4) == 0 {
		c.Own = []string{"e"}
	}
	return &history.Controlled{Controls: []history.Control{c}}
}
