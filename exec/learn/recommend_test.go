package learn_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/plan"
)

// another is a plan of one step, at another address and in other words than that
// of program.
func another(step plan.Step) *plan.Plan {
	step.ID, step.Address = "3", "7.3"
	return &plan.Plan{Tasks: []plan.Task{{ID: "7", Steps: []plan.Step{step}}}}
}

// TestRecommend recommends what helped to steps that do the same, whatever they
// are called, and to no others.
func TestRecommend(t *testing.T) {
	b, e := taught(t, new(checkpoint.MemoryLog))
	same := another(plan.Step{Description: "Fit it", Run: "nice train --batch 64"})
	if got := b.Memory().Recommend(same); len(got) != 0 || b.Waiting(same) != 1 {
		t.Errorf("before it was promoted: %+v, %d waiting", got, b.Waiting(same))
	}
	if err := b.Promote(t.Context(), e.ID, "anna", "it works"); err != nil {
		t.Fatal(err)
	}
	m := b.Memory()
	want := []learn.Recommendation{{Step: "7.3", Entry: e.ID, Kind: learn.Semantic, Does: "runs train",
		Cause: "out of memory", Remedy: "train on less", Runs: 3, Change: "say so in its description or its prompt"}}
	if diff := cmp.Diff(want, m.Recommend(same)); diff != "" {
		t.Error(diff)
	}
	if got := m.Recommend(same, "7.2"); len(got) != 0 || b.Waiting(same) != 0 {
		t.Errorf("of another step: %+v", got)
	}
	for name, step := range map[string]plan.Step{
		"another program":     {Description: "Train the model", Run: "evaluate"},
		"another kind":        {Description: "Train the model", Prompt: "train it"},
		"other kinds of file": {Run: "train", Artifacts: &plan.Artifacts{Create: []string{"model.bin"}}},
		"it has it":           {Run: "train", Backups: []plan.Backup{{ID: "4", Description: "train on less"}}},
	} {
		if got := m.Recommend(another(step)); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	task := same.Tasks[0]
	if n := len(m.For(&task, &task.Steps[0]).Remedies); n != 1 {
		t.Errorf("%d remedies for a step that does the same", n)
	}
	if n := len(m.For(&task, &plan.Step{Run: "evaluate"}).Remedies); n != 0 {
		t.Errorf("%d remedies for another step", n)
	}
}

// TestLessonsAreKeyedByWhatStepsDo has steps of other names and words confirm one
// lesson, and those that do something else teach another.
func TestLessonsAreKeyedByWhatStepsDo(t *testing.T) {
	b := open(t, new(checkpoint.MemoryLog))
	for i, step := range []plan.Step{
		{Description: "Build it", Run: "go build ./...", Artifacts: &plan.Artifacts{Create: []string{"a.go", "cmd/b.go"}}},
		{Description: "Make 2 programs", Run: "go build ./cmd", Artifacts: &plan.Artifacts{Modify: []string{"x/**/*.go"}}},
		{Description: "Build it", Run: "go build ./...", Artifacts: &plan.Artifacts{Create: []string{"Makefile"}}},
		{Description: "Build it", Prompt: "build it", Artifacts: &plan.Artifacts{Create: []string{"a.go"}}},
		{Description: "Build it in 3 minutes", Prompt: "build it"},
	} {
		step.Backups = []plan.Backup{{ID: "1", Description: "less at once", Run: "go build -p 1"}}
		p, r := another(step), finished(string(rune('a'+i)), "out of memory", "backup_1")
		r.Steps[0].Address = "7.3"
		if err := b.Take(t.Context(), p, r); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	for e := range b.Entries() {
		got[e.About()] = e.Confirmed
		if e.How != "go build -p 1" {
			t.Errorf("got %+v", e)
		}
	}
	if diff := cmp.Diff(map[string]int{
		"out of memory in a step that runs go build, touches *.go":               2,
		"out of memory in a step that runs go build, touches Makefile":           1,
		"out of memory in a step that follows a prompt, touches *.go":            1,
		"out of memory in a step that follows a prompt: build it in <n> minutes": 1,
	}, got); diff != "" {
		t.Log(diff)
		if got["out of memory in a step that runs go build, touches *.go"] != 2 || len(got) != 4 {
			t.Error(diff)
		}
	}
}
