package learn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/plan"
)

// program is a plan of one step with a backup.
func program() *plan.Plan {
	return &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{{
		Address: "1.1", ID: "1", Description: "Train the model", Run: "train --batch 16",
		Backups: []plan.Backup{{ID: "1", Description: "train on less"}},
	}}}}}
}

// finished is a sealed run of program in which the step failed with the given
// output, unless it is empty, and a method completed it.
func finished(name, output, method string) *history.Run {
	s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}, Status: history.Completed,
		Completed: &history.StepCompleted{Method: method}}
	if output != "" {
		s.Attempts = append(s.Attempts, &history.Attempt{Number: 1,
			Failure: &history.AttemptFailed{Class: history.Crashed, Reasons: []string{output}}})
	}
	s.Attempts = append(s.Attempts, &history.Attempt{Number: len(s.Attempts) + 1,
		Method: history.AttemptStarted{Method: method}})
	return &history.Run{
		Started: history.Started{Run: name}, Steps: []*history.Step{s},
		Ended: &history.Ended{Status: history.Achieved}, Sealed: &history.Sealed{},
	}
}

func take(t *testing.T, b *learn.Book, r *history.Run) {
	t.Helper()
	if err := b.Take(t.Context(), program(), r); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, log checkpoint.Log) *learn.Book {
	t.Helper()
	b, err := learn.Open(t.Context(), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOnlyFinishedRunsTeach(t *testing.T) {
	for name, spoil := range map[string]func(*history.Run){
		"not sealed": func(r *history.Run) { r.Sealed = nil },
		"not ended":  func(r *history.Run) { r.Ended = nil },
	} {
		r := finished("a", "out of memory", "backup_1")
		spoil(r)
		b := open(t, new(checkpoint.MemoryLog))
		if err := b.Take(t.Context(), program(), r); !errors.Is(err, learn.ErrUnfinished) || b.Taken("a") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestForbiddenSources(t *testing.T) {
	answered := func(kind ask.Kind, acknowledge string) func(*history.Run) {
		return func(r *history.Run) {
			r.Steps[0].Questions = []history.Exchange{{
				Question: ask.Question{ID: "q1", Kind: kind,
					Choices: []ask.Choice{{Key: "r", Acknowledge: acknowledge}}}, Answer: &ask.Answer{Choice: "r"},
			}}
		}
	}
	for name, spoil := range map[string]func(*history.Run){
		"the sandbox was bypassed": func(r *history.Run) { r.Started.NoSandbox = true },
		"what moved was accepted":  func(r *history.Run) { r.Moves = []history.MovesAccepted{{}} },
		"it was a trial":           func(r *history.Run) { r.Started.Shadow = true },
		"the outcome is wrong":     func(r *history.Run) { r.Ended.Status = history.NotAchieved },
		"the run was set back once it had ended": func(r *history.Run) {
			r.After = &history.Afterwards{Setbacks: []history.Setback{{To: "1.1", Steps: []plan.Address{"1.1"}, Done: true}}}
		},
		"the step was set back":           func(r *history.Run) { r.Steps[0].Undone = r.Steps[0].Attempts[:1] },
		"the step failed":                 func(r *history.Run) { r.Steps[0].Status = history.Failed },
		"the step was left out":           func(r *history.Run) { r.Steps[0].Status = history.Skipped },
		"a precondition was overridden":   answered(ask.Precondition, ""),
		"a repository change was allowed": answered(ask.Repository, ""),
		"an unfinished compensation":      answered(ask.Compensation, ""),
		"an irreversible step once more":  answered(ask.InFlight, ""),
		"a risk was accepted":             answered(ask.StepFailed, "I know"),
	} {
		t.Run(name, func(t *testing.T) {
			r := finished("a", "out of memory", "backup_1")
			spoil(r)
			b, e := taught(t, new(checkpoint.MemoryLog))
			take(t, b, r)
			if now := one(t, b); now != e {
				t.Errorf("it teaches: before %+v, after %+v", e, now)
			}
			var kept struct {
				Excluded []struct{ Why string }
			}
			for rec, err := range b.Audit(t.Context()) { // the last one counts
				if err == nil {
					err = json.Unmarshal(rec.Data, &kept)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if len(kept.Excluded) != 1 || kept.Excluded[0].Why == "" {
				t.Errorf("the book says %+v", kept)
			}
		})
	}
}

// TestWhatIsSetBackLaterIsWithdrawn takes back what a run taught that was read
// before it was set back, once, and nothing else; also of a book that is read
// again.
func TestWhatIsSetBackLaterIsWithdrawn(t *testing.T) {
	log := new(checkpoint.MemoryLog)
	b, before := taught(t, log)
	r := finished("later", "out of memory", "backup_1")
	take(t, b, r)
	if now := one(t, b); now.Confirmed != before.Confirmed+1 || now.Right != before.Right+1 {
		t.Fatalf("the run taught nothing: %+v", now)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(b.Withdraw(t.Context(), r))
	if now := one(t, b); now.Confirmed != before.Confirmed+1 {
		t.Errorf("it was taken back, and nobody set it back: %+v", now)
	}
	r.After = &history.Afterwards{Setbacks: []history.Setback{{To: "1.1", Steps: []plan.Address{"1.1"}}}}
	for range 2 {
		must(b.Withdraw(t.Context(), r))
		if now := one(t, b); now.Confirmed != before.Confirmed || now.Right != before.Right {
			t.Errorf("it counts still, or twice: %+v", now)
		}
	}
	must(b.Withdraw(t.Context(), finished("stranger", "", "primary")))
	must(b.Close())
	b = open(t, log.Reopen())
	if now := one(t, b); now.Confirmed != before.Confirmed || now.Right != before.Right || !b.Taken("later") {
		t.Errorf("read again: %+v", now)
	}
	// What nothing else shows is gone; what somebody promoted stays.
	only := finished("only", "", "primary")
	take(t, b, only)
	only.After = r.After
	must(b.Withdraw(t.Context(), only))
	one(t, b)
	// Of a step that taught nothing nothing is taken back.
	nothing := finished("nothing", "", "primary")
	nothing.Steps[0].Status = history.Failed
	take(t, b, nothing)
	nothing.After = r.After
	was := records(t, b)
	must(b.Withdraw(t.Context(), nothing))
	if now := records(t, b); now != was {
		t.Errorf("%d records were written about it", now-was)
	}
}

// records is how many the journal of a book has.
func records(t *testing.T, b *learn.Book) (n int) {
	t.Helper()
	for _, err := range b.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestWhatARunTeaches(t *testing.T) {
	patched := finished("a", "out of memory", "patch_1")
	patched.Steps[0].Patches = []history.Patched{{ID: "patch_1", Summary: "less at a time"}}
	told := finished("a", "--- FAIL: TestX", "primary")
	told.Steps[0].Questions = []history.Exchange{{
		Question: ask.Question{ID: "q1", Kind: ask.StepFailed, Choices: []ask.Choice{{Key: "r"}}},
		Answer:   &ask.Answer{Choice: "r", Reason: "start the server first"},
	}}
	guided := finished("a", "out of memory", "patch_1")
	guided.Steps[0].Attempts[0].Method.Method = "patch_1"
	guided.Steps[0].Patches = patched.Steps[0].Patches
	guided.Steps[0].Questions = []history.Exchange{{
		Question: ask.Question{ID: "q1", Kind: ask.StepFailed, Attempt: 1, Choices: []ask.Choice{{Key: "p"}}},
		Answer:   &ask.Answer{Choice: "p", Reason: "train on the first file", By: "ana"},
	}}
	lost := finished("a", "", "primary")
	lost.Steps[0].Undone = []*history.Attempt{{Number: 1, Failure: &history.AttemptFailed{Class: history.Lost}}}
	for _, tt := range []struct {
		name string
		r    *history.Run
		want []learn.Entry
	}{
		{"what a person said where a patch had failed", guided,
			[]learn.Entry{{Kind: learn.Confirmed, Pattern: "out of memory", Remedy: "train on the first file"}}},
		{"an attempt was lost", lost,
			[]learn.Entry{{Kind: learn.Procedural, Pattern: "runs train", Remedy: "train --batch 16"}}},
		{"a backup helped", finished("a", "CUDA out of memory", "backup_1"),
			[]learn.Entry{{Kind: learn.Semantic, Pattern: "out of memory", Remedy: "train on less"}}},
		{"a patch helped", patched, []learn.Entry{{Kind: learn.Semantic, Pattern: "out of memory", Remedy: "less at a time"}}},
		{"a person helped", told, []learn.Entry{{Kind: learn.Confirmed, Pattern: "test failure", Remedy: "start the server first"}}},
		{"it simply works", finished("a", "", "primary"), []learn.Entry{{Kind: learn.Procedural, Pattern: "runs train", Remedy: "train --batch 16"}}},
		{"the same once more is no remedy", finished("a", "out of memory", "primary"), nil},
		{"an unknown cause is none", finished("a", "hm", "backup_1"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := open(t, new(checkpoint.MemoryLog))
			take(t, b, tt.r)
			var got []learn.Entry
			for e := range b.Entries() {
				if e.ID == "" || e.Run != "a" || e.Step != "1.1" {
					t.Errorf("got %+v", e)
				}
				got = append(got, learn.Entry{Kind: e.Kind, Pattern: e.Pattern, Remedy: e.Remedy})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPromotionNeedsConfirmations goes to the last confirmation that is
// missing, for each kind.
func TestPromotionNeedsConfirmations(t *testing.T) {
	for _, tt := range []struct {
		kind learn.Kind
		n    int
		run  func(name string) *history.Run
	}{
		{learn.Semantic, 3, func(name string) *history.Run { return finished(name, "out of memory", "backup_1") }},
		{learn.Procedural, 3, func(name string) *history.Run { return finished(name, "", "primary") }},
		{learn.Confirmed, 2, func(name string) *history.Run {
			r := finished(name, "--- FAIL: TestX", "primary")
			r.Steps[0].Questions = []history.Exchange{{Question: ask.Question{ID: "q1", Kind: ask.StepFailed,
				Choices: []ask.Choice{{Key: "r"}}},
				Answer: &ask.Answer{Choice: "r", Reason: "start the server first"}}}
			return r
		}},
	} {
		t.Run(string(tt.kind), func(t *testing.T) {
			b := open(t, new(checkpoint.MemoryLog))
			for i := range tt.n {
				for range 2 { // taking a run twice counts once
					take(t, b, tt.run(fmt.Sprint("run", i)))
				}
				e := one(t, b)
				if e.Kind != tt.kind || e.Confirmed != i+1 || e.Ready() != (i+1 == tt.n) {
					t.Fatalf("after %d runs: %+v, ready %v", i+1, e, e.Ready())
				}
				var early *learn.NotReadyError
				if err := b.Promote(t.Context(), e.ID, "anna", "it works"); (i+1 < tt.n) != errors.As(err, &early) {
					t.Fatalf("after %d runs: %v", i+1, err)
				}
			}
			if e := one(t, b); e.State != learn.Active {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func one(t *testing.T, b *learn.Book) learn.Entry {
	t.Helper()
	all := slices.Collect(b.Entries())
	if len(all) != 1 {
		t.Fatalf("%d entries, want 1: %+v", len(all), all)
	}
	return all[0]
}

// taught is a book with one entry that is confirmed three times.
func taught(t *testing.T, log checkpoint.Log) (*learn.Book, learn.Entry) {
	t.Helper()
	b := open(t, log)
	for i := range 3 {
		take(t, b, finished(fmt.Sprint("run", i), "out of memory", "backup_1"))
	}
	return b, one(t, b)
}

func TestShadowTrials(t *testing.T) {
	b, e := taught(t, new(checkpoint.MemoryLog))
	if e.Right != 2 || e.Wrong != 0 { // the first run made the entry, so it could not be tried in it
		t.Errorf("got %+v", e)
	}
	other := finished("other", "out of memory", "patch_1")
	other.Steps[0].Patches = []history.Patched{{ID: "patch_1", Summary: "buy memory"}}
	take(t, b, other)
	e = slices.Collect(b.Entries())[0]
	if e.Wrong != 1 || e.Ready() {
		t.Errorf("one lost trial: %+v, ready %v", e, e.Ready())
	}
	take(t, b, finished("run3", "out of memory", "backup_1"))
	if e = slices.Collect(b.Entries())[0]; !e.Ready() {
		t.Errorf("one more confirmation: %+v", e)
	}
}

func TestRevokedStartsAnew(t *testing.T) {
	b, e := taught(t, new(checkpoint.MemoryLog))
	if err := b.Promote(t.Context(), e.ID, "anna", "it works"); err != nil {
		t.Fatal(err)
	}
	kept := b.Memory()
	if err := b.Revoke(t.Context(), e.ID, "anna", "it does not"); err != nil {
		t.Fatal(err)
	}
	now := b.Memory()
	if len(kept.Remedies) != 1 || len(now.Remedies) != 0 || kept.Version != 1 || now.Version != 2 ||
		kept.Digest() == now.Digest() {
		t.Errorf("before %+v, after %+v", kept, now)
	}
	take(t, b, finished("again", "out of memory", "backup_1"))
	if e := one(t, b); e.State != learn.Quarantined || e.Confirmed != 1 || e.Ready() {
		t.Errorf("got %+v", e)
	}
}

func TestDecisionsNeedANameAndAReason(t *testing.T) {
	b, e := taught(t, new(checkpoint.MemoryLog))
	for _, err := range []error{
		b.Promote(t.Context(), e.ID, "", "why"), b.Promote(t.Context(), e.ID, "anna", ""), b.Revoke(t.Context(), e.ID, "", ""),
		func() error { _, err := b.Prune(t.Context(), 1, ""); return err }(),
	} {
		if !errors.Is(err, learn.ErrAnonymous) {
			t.Errorf("got %v", err)
		}
	}
	if err := b.Promote(t.Context(), "nobody", "anna", "why"); !errors.Is(err, learn.ErrNoEntry) {
		t.Errorf("got %v", err)
	}
}

func TestPruneKeepsTheLatest(t *testing.T) {
	b := open(t, new(checkpoint.MemoryLog))
	for i := range 4 {
		r := finished(fmt.Sprint("run", i), "out of memory", "patch_1")
		r.Steps[0].Patches = []history.Patched{{ID: "patch_1", Summary: fmt.Sprint("way ", i)}}
		take(t, b, r)
	}
	gone, err := b.Prune(t.Context(), 2, "anna")
	if err != nil || len(gone) != 2 {
		t.Fatalf("%d are gone, %v", len(gone), err)
	}
	var kept []string
	for e := range b.Entries() {
		kept = append(kept, e.Remedy)
	}
	if diff := cmp.Diff([]string{"way 2", "way 3"}, kept); diff != "" {
		t.Error(diff)
	}
}

// TestBookIsItsJournal opens the book again after every record and finds the
// same.
func TestBookIsItsJournal(t *testing.T) {
	log := new(checkpoint.MemoryLog)
	b, e := taught(t, log)
	for _, err := range []error{
		b.Promote(t.Context(), e.ID, "anna", "it works"), b.Revoke(t.Context(), e.ID, "bert", "no"),
		b.Take(t.Context(), program(), finished("more", "", "primary")),
		func() error { _, err := b.Prune(t.Context(), 0, "anna"); return err }(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := open(t, log)
	if diff := cmp.Diff(slices.Collect(b.Entries()), slices.Collect(again.Entries())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(b.Memory(), again.Memory()); diff != "" {
		t.Error(diff)
	}
	records := 0
	for _, err := range again.Audit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		records++
	}
	if records != 8 { // four runs, a promotion, a revocation, two prunings
		t.Errorf("%d records in the audit", records)
	}
}

func TestEpisodesAreTheNewest(t *testing.T) {
	r := finished("a", "out of memory", "backup_1")
	for i := range 5 {
		r.Steps[0].Advised = append(r.Steps[0].Advised,
			history.Advised{Attempt: i + 1, RootCause: fmt.Sprint("cause ", i+1)})
	}
	var got []int
	for _, e := range learn.Episodes(r, 3) {
		got = append(got, e.Attempt)
	}
	if diff := cmp.Diff([]int{5, 4, 3}, got); diff != "" {
		t.Error(diff)
	}
	r.Steps[0].Advised = []history.Advised{{RootCause: "first"}, {RootCause: "second"}}
	if got := learn.Episodes(r, 1); len(got) != 1 || got[0].RootCause != "second" {
		t.Errorf("of two at one attempt: %+v", got)
	}
}

func ExampleBook() {
	ctx := context.Background()
	book, err := learn.Open(ctx, new(checkpoint.MemoryLog), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		run := finished(fmt.Sprint("run", i), "out of memory", "backup_1")
		if err := book.Take(ctx, program(), run); err != nil {
			fmt.Println(err)
		}
	}
	for e := range book.Entries() {
		fmt.Println(e.State, e.Ready())
		if err := book.Promote(ctx, e.ID, "anna", "three runs agree"); err != nil {
			fmt.Println(err)
		}
	}
	advisor := advice.Builtin{Memory: book.Memory().Remembered()}
	known := advisor.Memory["out of memory"][0]
	fmt.Printf("%s: %.2f sure\n", known.Description, known.Confidence)
	// Output:
	// quarantined true
	// train on less: 0.83 sure
}
