package commits

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// is an entry with a text; "" is none, and "/" a folder.
func is(path, text string) *ledger.Entry {
	switch text {
	case "":
		return nil
	case "/":
		return &ledger.Entry{Path: path, Kind: ledger.Dir, Mode: 0o755}
	}
	return &ledger.Entry{Path: path, Kind: ledger.File, Mode: 0o644, Size: int64(len(text)), Digest: ledger.Sum([]byte(text))}
}

// made is what a step made, as in "a: 1 > 2": of a path, from what, to what.
func made(t *testing.T, says string) *history.Accounted {
	t.Helper()
	all := &history.Accounted{}
	for one := range strings.SplitSeq(says, ", ") {
		path, texts, ok := strings.Cut(one, ": ")
		before, after, also := strings.Cut(texts, ">")
		if !ok || !also {
			t.Fatalf("%q says nothing", one)
		}
		all.Changes = append(all.Changes, ledger.Change{Path: path,
			Before: is(path, strings.TrimSpace(before)), After: is(path, strings.TrimSpace(after))})
	}
	return all
}

// TestWork tells what a commit is to hold from what steps made, those before it
// and those that were set back, and what is left out of it.
func TestWork(t *testing.T) {
	for name, tt := range map[string]struct {
		earlier []string // commits, of a step each that was set back since
		left    string   // a path that these do not hold
		steps   []string // what is to be committed
		want    []string
		foreign string
	}{
		"a step":                          {steps: []string{"a: > 1, b: 1 > 2, c: 1 >"}, want: []string{"created a", "modified b", "deleted c"}},
		"steps, one after another":        {steps: []string{"a: > 1", "a: 1 > 2"}, want: []string{"created a"}},
		"made and taken away":             {steps: []string{"a: > 1", "a: 1 >"}},
		"a folder":                        {steps: []string{"d: > /, d/a: > 1"}, want: []string{"created d/a"}},
		"somebody else in between":        {steps: []string{"a: > 1", "a: 3 > 2", "b: > 1"}, want: []string{"created b"}, foreign: "a"},
		"set back and made anew":          {earlier: []string{"a: > 1"}, steps: []string{"a: > 2"}, want: []string{"modified a"}},
		"set back and made the same":      {earlier: []string{"a: > 1"}, steps: []string{"a: > 1"}},
		"set back, and not made any more": {earlier: []string{"a: 1 > 2, b: > 1"}, steps: []string{"c: > 1"}, want: []string{"modified a", "deleted b", "created c"}},
		"set back, and was never held":    {earlier: []string{"a: > 1"}, left: "a", steps: []string{"a: > 2"}, want: []string{"created a"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := &history.Run{Started: history.Started{}}
			for _, says := range tt.earlier {
				c := &history.Commit{Committed: &history.Committed{Commit: "c0ffee"}, Works: []*history.Accounted{made(t, says)}}
				if tt.left != "" {
					c.Left = []commit.LeftOut{{Path: tt.left}}
				}
				run.Commits = append(run.Commits, c)
			}
			for i, says := range tt.steps {
				run.Steps = append(run.Steps, &history.Step{EndedAt: uint64(i), Carried: &history.StepCarried{Accounted: made(t, says)}})
			}
			c := &Commits{Session: &session.Session{Rec: &recorder.Recorder{Run: run}, Work: &worktree.Worktree{},
				Shown: &guard.Contract{Plan: &plan.Plan{}}}}
			w, foreign, err := c.work(context.Background(), run.Steps)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, change := range w.Changes {
				got = append(got, string(change.Op)+" "+change.Path)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("it holds %q, want %q", got, tt.want)
			}
			if len(foreign) > 0 && foreign[0].Path != tt.foreign || (len(foreign) == 0) != (tt.foreign == "") {
				t.Errorf("left out: %v, want %q", foreign, tt.foreign)
			}
		})
	}
}

// TestRefused says what a committer refuses as the run says it: before it began,
// and in the middle, where it can go on without commits.
func TestRefused(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, tt := range map[string]struct {
		run  string
		err  error
		hint string // "": it is no refusal
	}{
		"at the beginning": {"", &commit.RefusedError{Reasons: []string{"no"}, Hint: "mend it"}, "mend it"},
		"in the middle":    {"R", &commit.RefusedError{Reasons: []string{"no"}, Hint: "mend it"}, "mend it; " + hint},
		"without a hint":   {"R", &commit.RefusedError{Reasons: []string{"no"}}, hint},
		"something else":   {"R", broken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Commits{Session: &session.Session{Rec: &recorder.Recorder{Run: &history.Run{Started: history.Started{Run: tt.run}}}}}
			err := c.refused(tt.err)
			said := (*session.Refusal)(nil)
			switch {
			case !errors.Is(err, tt.err):
				t.Errorf("got %v", err)
			case errors.As(err, &said) != (tt.hint != ""):
				t.Errorf("got %T", err)
			case said != nil && (said.Hint != tt.hint || said.Run != tt.run || !reflect.DeepEqual(said.Reasons, []string{"no"})):
				t.Errorf("got %+v", said)
			}
		})
	}
}

// TestRenewed takes over what a commit moved in the repository, and nothing that
// somebody else did.
func TestRenewed(t *testing.T) {
	known := ledger.GitState{"HEAD": "h1", "refs/heads/main": "m1", "refs/many": "f1", "index": "i1", "config": "c1"}
	now := ledger.GitState{"HEAD": "h2", "refs/heads/main": "m2", "refs/many": "f2", "index": "i2", "config": "c2"}
	for name, tt := range map[string]struct {
		made  commit.Made
		moved []string
	}{
		"on a branch":      {commit.Made{Branch: "refs/heads/main"}, []string{"refs/heads/main"}},
		"on none":          {commit.Made{}, []string{"HEAD"}},
		"one of very many": {commit.Made{Branch: "refs/many/one"}, []string{"refs/many"}},
		"and in the index": {commit.Made{Branch: "refs/heads/main", Staged: true}, []string{"refs/heads/main", "index"}},
		"one that is gone": {commit.Made{Branch: "refs/heads/gone"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := renewed(known, now, &tt.made)
			for part, digest := range got {
				want := known[part]
				if slices.Contains(tt.moved, part) {
					want = now[part]
				}
				if digest != want {
					t.Errorf("%s is %s, want %s", part, digest, want)
				}
			}
			if known["HEAD"] != "h1" || len(got) != len(known) {
				t.Errorf("got %v", got)
			}
		})
	}
}
