package tasks

import (
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
)

// TestGiven rejects a job that needs what no command of the plan gets.
func TestGiven(t *testing.T) {
	for name, want := range map[string]bool{"MODE": true, "HOME": true, "TOKEN": false, "": false} {
		err := given([]review.Job{{ID: "a", Entry: "run", EnvKeys: []string{name}}}, []string{"MODE"})
		if (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestAgreed rejects two jobs of one name that are not the same.
func TestAgreed(t *testing.T) {
	one, same := review.Job{ID: "a", Entry: "run.sh", Args: `{"n": 1}`}, review.Job{ID: "a", Entry: "./run.sh", Args: `{"n":1}`}
	two, other := review.Job{ID: "a", Entry: "run.sh", Args: `{"n": 2}`}, review.Job{ID: "b", Entry: "run.sh", Args: `{"n": 2}`}
	if err := agreed([]review.Job{one, same, other}); err != nil {
		t.Error(err)
	}
	if err := agreed([]review.Job{one, other, two}); err == nil || !strings.Contains(err.Error(), "sh run.sh --n 1, and as sh run.sh --n 2") {
		t.Error(err)
	}
}

// TestStartable rejects a job that could only crash: what it begins with is not
// there, is a folder, or can be carried out by nothing.
func TestStartable(t *testing.T) {
	var entries []ledger.Entry
	for name, mode := range map[string]fs.FileMode{"run": 0o755, "plain": 0o644, "x.py": 0o644} {
		entries = append(entries, ledger.Entry{Path: name, Kind: ledger.File, Mode: mode, Size: 1, Digest: ledger.Sum([]byte("x"))})
	}
	tree, err := ledger.NewTree(append(entries, ledger.Entry{Path: "lib", Kind: ledger.Dir, Mode: 0o755},
		ledger.Entry{Path: "link.py", Kind: ledger.Link, Target: "x.py"}))
	if err != nil {
		t.Fatal(err)
	}
	job := func(entry string, leaves ...string) review.Job {
		return review.Job{ID: "a", Entry: entry, Artifacts: leaves}
	}
	for _, tt := range []struct {
		jobs []review.Job
		at   int
		want string // "" where it can be started
	}{
		{[]review.Job{job("run"), job("./x.py")}, 0, ""},
		{[]review.Job{job("none.sh")}, 0, `job "a": the entry "none.sh" is not there`},
		{[]review.Job{job("none.sh")}, 1, ""},
		{[]review.Job{job("run", "./none.sh"), job("none.sh")}, 0, ""},
		{[]review.Job{job("none.sh"), job("run", "none.sh")}, 0, "is not there"},
		{[]review.Job{job("lib")}, 1, "is a folder"},
		{[]review.Job{job("link.py")}, 0, `job "a": the entry "link.py" is a link`},
		{[]review.Job{job("plain")}, 1, "is not executable"},
	} {
		if runtime.GOOS == "windows" && tt.want == "is not executable" {
			continue
		}
		err := startable(tt.jobs, tt.at, tree)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v at %d: %v, want %q", tt.jobs, tt.at, err, tt.want)
		}
	}
}
