package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/checkpoint"
	planlock "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
)

// told notes what owners are told of runs; it fails where err is set.
type told struct {
	err         error
	given, took []string
}

func (r *told) Give(_ context.Context, run string) error {
	if r.err == nil {
		r.given = append(r.given, run)
	}
	return r.err
}

func (r *told) Take(_ context.Context, run string, _ planlock.Stop) error {
	r.took = append(r.took, run)
	return nil
}

// TestDetach: a run that no owner could be told of waits before its first step, as if this
// process had died between its first record and telling them; it is given to owners from any
// folder, and its answers are passed on to them. Resumed without them it is taken back.
func TestDetach(t *testing.T) {
	t.Setenv("PLANLOCK_STATE", t.TempDir())
	owners := &told{err: errors.New("nobody answers")}
	kept, with := owned(owners)
	call := func(want int, words ...string) string {
		t.Helper()
		var said bytes.Buffer
		if status := run(with, append(words, "--store", "postgres://h/d"), strings.NewReader(""), &said, &said); status != want {
			t.Fatalf("planlock %s: status %d, want %d\n%s", words, status, want, &said)
		}
		return said.String()
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(asking), 0o644); err != nil {
		t.Fatal(err)
	}
	words := []string{"run", "--dir", dir, "--answers", "wait", "--no-sandbox", filepath.Join(dir, "plan.toml"), "--detach"}
	if said := call(statusUsage, words...); !strings.Contains(said, "--engine what finds owners") {
		t.Errorf("without an engine:\n%s", said)
	}
	said := call(statusCouldNot, append(words, "--engine", "temporal://h/n")...)
	id := regexp.MustCompile(`\b01[0-9A-Z]{24}\b`).FindString(said)
	if !strings.Contains(said, "nobody answers") || !strings.Contains(said, "planlock resume "+id) ||
		!strings.Contains(said, "--engine temporal://h/n") || !strings.Contains(said, "--detach") {
		t.Errorf("it does not say how to give it away once more:\n%s", said)
	}
	history := func() *history.Run {
		t.Helper()
		r, err := planlock.Workspace{Runs: kept.Runs, Blobs: kept.Blobs, Papers: kept.Papers}.History(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := history(); r.Paused == nil || len(r.Steps[0].Attempts) > 0 {
		t.Errorf("it does not wait before its first step: %v", r)
	}
	owners.err = nil
	if call(statusDone, "resume", id, "--dir", t.TempDir(), "--engine", "temporal://h/n", "--detach"); !slices.Equal(owners.given, []string{id}) {
		t.Errorf("given are %v", owners.given)
	}
	call(statusWaiting, "resume", id, "--dir", dir, "--answers", "wait")
	if r := history(); !slices.Equal(owners.took, []string{id}) || gives(r.Policy.Given, "detach") {
		t.Errorf("taken back are %v, and the run goes on with %v", owners.took, r.Policy.Given)
	}
	call(statusDone, "resume", id, "--dir", dir, "--engine", "temporal://h/n", "--detach")
	if r := history(); len(owners.given) != 2 || !gives(r.Policy.Given, "detach") || len(r.Questions()) != 1 {
		t.Errorf("given are %v, and the run goes on with %v", owners.given, r.Policy.Given)
	}
	if said := call(statusDone, "answer", "--dir", dir, id, history().Questions()[0].ID, "r"); len(owners.given) != 3 {
		t.Errorf("owners are not told of the answer:\n%s", said)
	}
}

// owned is a command whose runs are in memory, and have owners.
func owned(owners Runs) (*Kept, With) {
	kept := &Kept{Runs: &checkpoint.MemoryRuns{}, Blobs: &checkpoint.Memory{}, Papers: &checkpoint.MemoryPapers{},
		Close: func() error { return nil }}
	return kept, With{
		Open: func(context.Context, string, string, bool) (*Kept, error) { return kept, nil },
		Engine: func(context.Context, string, string) (*Engine, error) {
			return &Engine{Close: func() error { return nil },
				Queue: func(context.Context) (remote.Queue, error) { return nil, nil },
				Runs:  func(context.Context) (Runs, error) { return owners, nil }}, nil
		},
	}
}

// TestAgentAnswersOwners: owners are told of an answer that the person at an agent's
// client gave, once more where they could not be told of it.
func TestAgentAnswersOwners(t *testing.T) {
	t.Setenv("PLANLOCK_STATE", t.TempDir())
	owners := &told{}
	_, with := owned(owners)
	dir, at := t.TempDir(), []string{"--store", "postgres://h/d"}
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(asking), 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	call := func(want int, words ...string) {
		t.Helper()
		if status := run(with, append(words, at...), strings.NewReader(""), &said, &said); status != want {
			t.Fatalf("planlock %s: status %d, want %d\n%s", words, status, want, &said)
		}
	}
	call(statusWaiting, "run", "--dir", dir, "--answers", "wait", "--no-sandbox", filepath.Join(dir, "plan.toml"))
	id := regexp.MustCompile(`\b01[0-9A-Z]{24}\b`).FindString(said.String())
	call(statusDone, "resume", id, "--dir", dir, "--engine", "temporal://h/n", "--detach")
	owners.given, owners.err = nil, errors.New("nobody answers")

	in, toServer := io.Pipe()
	out, toClient := io.Pipe()
	ended := make(chan int)
	go func() { ended <- run(with, append([]string{"mcp", "--dir", dir}, at...), in, toClient, io.Discard) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test-client", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"choice": "r"}}, nil
		}})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := func() string {
		t.Helper()
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "answer", Arguments: map[string]any{"run": id}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if said := answer(); !strings.Contains(said, "were not told of it: nobody answers") {
		t.Errorf("where they cannot be told: %s", said)
	}
	owners.err = nil
	if said := answer(); !strings.Contains(said, "the owners of the run go on with it") || !slices.Equal(owners.given, []string{id}) {
		t.Errorf("told are %v: %s", owners.given, said)
	}
	_ = session.Close()
	_ = toServer.Close()
	if status := <-ended; status != statusDone {
		t.Errorf("mcp: status %d", status)
	}
}

// TestDetachIsRefused: where owners would not have what the run needs, and by engines that
// give steps away alone.
func TestDetachIsRefused(t *testing.T) {
	t.Setenv("PLANLOCK_STATE", t.TempDir())
	with := With{
		Open: func(context.Context, string, string, bool) (*Kept, error) {
			return &Kept{Runs: &checkpoint.MemoryRuns{}, Blobs: &checkpoint.Memory{}, Papers: &checkpoint.MemoryPapers{},
				Close: func() error { return nil }}, nil
		},
		Engine: func(context.Context, string, string) (*Engine, error) {
			return &Engine{Close: func() error { return nil },
				Queue: func(context.Context) (remote.Queue, error) { return nil, nil }}, nil
		},
	}
	for _, c := range []struct{ git, words, want string }{
		{"", "worker --own x", "worker --own: say with --engine"},
		{"", "worker --own x --engine postgres", "gives steps away, and no runs"},
		{"", "run --detach --engine postgres plan.toml", "gives steps away, and no runs"},
		{".git", "run --detach --engine postgres plan.toml", "leave --detach out"},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		if err := os.WriteFile("plan.toml", []byte(asking), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.git != "" {
			if err := os.MkdirAll(filepath.Join(c.git, "objects"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var said bytes.Buffer
		words := append(strings.Fields(c.words), "--store", "postgres://h/d")
		if status := run(with, words, strings.NewReader(""), io.Discard, &said); status != statusUsage || !strings.Contains(said.String(), c.want) {
			t.Errorf("planlock %s: status %d\n%s", c.words, status, &said)
		}
	}
}
