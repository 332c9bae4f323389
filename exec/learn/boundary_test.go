package learn_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// TestNothingThatDecidesKnowsLearning proves by imports that what was learned
// cannot reach rungs, retries, thresholds, modes, gates or the controller: only
// hosts import this package.
func TestNothingThatDecidesKnowsLearning(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		host := strings.HasPrefix(rel, "cmd/") || strings.HasPrefix(rel, "examples/") || strings.HasPrefix(rel, "exec/learn/")
		if host {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil // not ours to judge
		}
		seen++
		for _, i := range file.Imports {
			if name, _ := strconv.Unquote(i.Path.Value); name == "github.com/planlock/planlock/exec/learn" {
				return fmt.Errorf("%s imports it", rel)
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files read: %v", seen, err)
	}
}

// TestLadderClimbsAsIfNothingHadBeenLearned decides the same before and after
// something was promoted, for every number of earlier attempts.
func TestLadderClimbsAsIfNothingHadBeenLearned(t *testing.T) {
	retries := 2
	step := &plan.Step{OnFailure: plan.Retry, MaxRetries: &retries, Backups: []plan.Backup{{ID: "1", Description: "train on less"}}}
	climb := func() []string {
		var got []string
		for tried := range 5 {
			s := &history.Step{}
			for i := range tried + 1 {
				s.Attempts = append(s.Attempts, &history.Attempt{Number: i + 1, Method: history.AttemptStarted{Method: "primary"}})
			}
			for range min(tried, retries) {
				s.Recoveries = append(s.Recoveries, history.Recovery{Rung: recovery.RetryRung, Method: "primary"})
			}
			ladder := recovery.Ladder{recovery.Retry{}, recovery.Backup{}, recovery.Ask{}}
			next := ladder.Next(recovery.Situation{Step: step, History: s,
				Failure: &history.AttemptFailed{Class: history.Crashed, Reasons: []string{"out of memory"}}})
			got = append(got, fmt.Sprintf("%s %s %v", next.Rung, next.Method, next.Ask))
		}
		return got
	}
	before := climb()
	b, e := taught(t, new(checkpoint.MemoryLog))
	if err := b.Promote(t.Context(), e.ID, "anna", "it works"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, climb()); diff != "" {
		t.Error(diff)
	}
}

// TestMemoryOfARunStays promotes and revokes while a run has its memory in
// hand.
func TestMemoryOfARunStays(t *testing.T) {
	b, e := taught(t, new(checkpoint.MemoryLog))
	before := b.Memory()
	digest, speaks := before.Digest(), before.Remembered()
	if err := b.Promote(t.Context(), e.ID, "anna", "it works"); err != nil {
		t.Fatal(err)
	}
	if before.Digest() != digest || len(before.Remembered()) != len(speaks) || len(before.Hints()) != 0 {
		t.Error("a promotion reached a memory that was taken before it")
	}
	during := b.Memory()
	if err := b.Revoke(t.Context(), e.ID, "anna", "it does not"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"against out of memory in a step that runs train this helped: train on less"}, during.Hints()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(learn.Memory{Version: 2}, b.Memory()); diff != "" {
		t.Error(diff)
	}
}
