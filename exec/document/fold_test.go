package document_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// facts that a random story is made of; many orders of them do not fold, and
// are left out.
func anyFact(s *story, n int, step plan.Address, attempt int) history.Fact {
	words := []string{"", "why", nasty}[n%3]
	switch n % 24 {
	case 0, 1:
		return &history.StepStarted{Checkpoint: snapshot(words), Decision: words, Strategy: plan.ContinueAndLog,
			Prior: []plan.Address{"1.1"}}
	case 2, 3:
		return &history.AttemptStarted{Method: []string{"primary", "backup_1", words}[n/24%3], Text: words,
			Executor: words}
	case 4, 5:
		return &history.AttemptEnded{Output: words, Exit: n, Error: words, Took: time.Duration(n) * time.Millisecond}
	case 6:
		c := []ledger.Change{created("a/b"), {Path: words, Op: ledger.Deleted, Before: entry(words, 1)}, {Path: "no entries", Op: ledger.Op(words)}}
		return &history.Accounted{Changes: c, Account: ledger.Account{Matching: c[:1], Extra: c[1:],
			Missing: []ledger.Expectation{{Op: ledger.Deleted, Symbol: words}}}}
	case 7, 8:
		return &history.Judged{gate.Judgement{Gate: words, Level: gate.Level(n % 3), Phase: gate.After}}
	case 9, 10:
		return &history.StepCompleted{Snapshot: snapshot("x"), Method: words}
	case 11, 12:
		return &history.AttemptFailed{Class: history.TimedOut, Cause: gate.Resources, Reasons: []string{words},
			Findings: []gate.Finding{{}}}
	case 13:
		return &history.RestoreBegun{To: snapshot("x"), Discarded: snapshot("y")}
	case 14:
		return &history.Restored{}
	case 15:
		return &history.Recovery{Rung: "retry", Method: "primary", Why: words}
	case 16:
		q := question(s, step, attempt)
		return &history.Asked{Question: q}
	case 17:
		return &history.Answered{Answer: ask.Answer{Question: "q1", Choice: words, At: s.now}}
	case 18:
		return &history.Unanswered{Question: "q1", Why: words, Final: n%2 == 0}
	case 19:
		return &history.StepFailed{Class: history.Class(words), Reasons: []string{words}, Halts: true}
	case 20:
		return &history.StepSkipped{Why: words, By: words}
	case 21:
		return &history.StepBlocked{By: "1.1", Why: words}
	case 22:
		return []history.Fact{&history.RolledBack{To: step},
			&history.ModeSwitched{From: plan.Dynamic, To: plan.Silent, Cause: words},
			&history.Paused{Why: words}, &history.Resumed{Reason: words}}[n/24%4]
	}
	return []history.Fact{&history.Ended{Status: history.Partial, Reasons: []string{words}}, &history.Delivered{},
		&history.Compensated{}}[n/24%3]
}

// Whatever folds can be drawn, at every point, and a seal changes nothing.
func FuzzWhateverFolds(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(60))
	}
	f.Fuzz(func(t *testing.T, seed uint64, length uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := begin(t, limiter())
		run := s.fold()
		steps := []plan.Address{"1.1", "1.2", "2.1", "3.1", ""}
		for range length % 80 {
			step := steps[random.IntN(len(steps))]
			attempt := random.IntN(3)
			before := len(s.records)
			if s.add(random.IntN(2000), step, attempt,
				anyFact(s, random.IntN(24*12), step, attempt)); run.Apply(s.records[before]) != nil {
				s.records = s.records[:before]
				run = s.fold() // a fact that was refused may have been half applied
			}
		}
		files := draw(t, s.plan, run)
		for _, file := range files {
			if at := invisible(file.Content); at >= 0 {
				t.Errorf("%s has something invisible at byte %d", file.Name, at)
			}
		}
		if diff := cmp.Diff(files, draw(t, s.plan, s.fold()), asText); diff != "" {
			t.Errorf("drawn twice it differs:\n%s", diff)
		}
		if run.Ended != nil {
			s.add(1000, "", 0, &history.Sealed{})
			if diff := cmp.Diff(files, draw(t, s.plan, s.fold()), asText); diff != "" {
				t.Errorf("the seal shows:\n%s", diff)
			}
		}
	})
}

// large is a run of a thousand steps, in tasks of ten that depend on each
// other.
func large(t testing.TB) *story {
	p := &plan.Plan{Schema: 1, Profile: plan.Strict, Meta: plan.Meta{Name: "large"}, Goal: "Do a thousand things"}
	for i := range 100 {
		task := plan.Task{ID: "t" + string(rune('a'+i/10)) + string(rune('a'+i%10)), Title: "A task among many"}
		if i > 3 {
			task.DependsOn = []string{p.Tasks[i-3].ID}
		}
		for j := range 10 {
			id := string(rune('0' + j))
			task.Steps = append(task.Steps, plan.Step{ID: id, Address: plan.Address(task.ID + "." + id), Description: "One of a thousand things",
				Artifacts: &plan.Artifacts{Create: []string{"out/" + task.ID + "/" + id}}})
		}
		p.Tasks = append(p.Tasks, task)
	}
	s := begin(t, p)
	for _, task := range p.Tasks {
		for _, step := range task.Steps {
			a := step.Address
			s.start(a, "primary").work(300, a, 1, "done\n", created("out/"+task.ID+"/"+step.ID)).
				gates(a, 1, passed("syntax", gate.During), passed("artifacts", gate.After)).accept(a, "primary")
		}
	}
	return s.end(history.Achieved)
}

func BenchmarkThousandSteps(b *testing.B) {
	told := large(b)
	run := told.fold()
	for _, v := range []struct {
		name string
		draw drawing
	}{
		{"Progress", document.Progress}, {"Summary", named("SUMMARY.md")}, {"Text", document.Text},
		{"Markdown", document.Markdown}, {"JSON", document.JSON}, {"HTML", html.Page().Draw},
	} {
		b.Run(v.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				content, err := as(v.draw, told.plan, run)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(content)))
			}
		})
	}
	b.Run("All", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := all(told.plan, run); err != nil {
				b.Fatal(err)
			}
		}
	})
}
