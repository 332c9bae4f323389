package exec_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// asController makes this test binary a controller of the workspace that it
// names.
const asController = "PLANLOCK_TEST_CONTROLLER_OF"

// whereItWorks is the layer of its steps.
const whereItWorks = "PLANLOCK_TEST_CONTROLLER_LAYER"

// TestMain is a controller where a test started one. It begins when it reads a
// line, says when its first step begins, and works on that step until another
// line comes.
func TestMain(m *testing.M) {
	dir := os.Getenv(asController)
	switch {
	case os.Getenv(asEditor) != "":
		if err := new(editor).edits(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "the editor:", err)
			os.Exit(1)
		}
		os.Exit(0)
	case os.Getenv(asVictim) != "":
		if err := die(os.Getenv(asVictim)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case dir == "":
		os.Exit(m.Run())
	}
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	if _, err := in.ReadString('\n'); err != nil {
		os.Exit(2)
	}
	waits := func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		fmt.Println("works")
		if _, err := in.ReadString('\n'); err != nil {
			return exec.Outcome{}, err
		}
		return goodScript["1.1"](ctx, w)
	}
	script := exectest.Script{"1.1": waits, "1.2": goodScript["1.2"]}
	err := control(dir, script)
	var held *checkpoint.HeldError
	switch {
	case errors.As(err, &held):
		fmt.Println("held by", held.Holder)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("achieved")
	}
	os.Exit(0)
}

// control goes on with the run of a workspace, or begins one.
func control(dir string, script exectest.Script) error {
	text := twoSteps()
	if layer := os.Getenv(whereItWorks); layer != "" {
		text = layered(text, plan.Layer(layer))
	}
	draft, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		return err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		return err
	}
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Executors{"script": script}}
	if runs, err := (&exec.Workspace{Dir: dir}).IDs(context.Background()); err == nil && len(runs) > 0 {
		return carried(c.Resume(context.Background(), locked, ""))
	}
	return carried(c.Run(context.Background(), locked))
}

// A peer is a controller in a process of its own.
type peer struct {
	cmd *osexec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newPeer(t *testing.T, dir string) *peer {
	t.Helper()
	p := newProcess(t, asController+"="+dir)
	if got := p.says(); got != "ready" {
		t.Fatalf("it says %q", got)
	}
	return p
}

// newProcess starts this test binary with a variable.
func newProcess(t *testing.T, variable string) *peer {
	t.Helper()
	p := &peer{cmd: osexec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), variable)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	p.out = bufio.NewReader(out)
	return p
}

func (p *peer) says() string {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(line, "\n")
}

func (p *peer) tell(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		t.Error(err)
	}
}

// TestManyControllers lets many controllers begin on one tree at once (50 with
// the tag torture): one works, all others say who it is. It is killed, and the
// next one has the tree at once, takes up what was left, and works. How long
// that takes is measured by internal/limits.
func TestManyControllers(t *testing.T) {
	count, rounds := 12, 5
	if testing.Short() {
		count, rounds = 6, 2
	}
	if whole {
		count, rounds = 50, 11
	}
	for range rounds {
		dir := t.TempDir()
		for name, content := range workspace {
			must(t, exectest.Put(dir, name, content))
		}
		next := newPeer(t, dir)
		peers := make([]*peer, count)
		for i := range peers {
			peers[i] = newPeer(t, dir)
		}
		for _, p := range peers {
			p.tell(t)
		}
		owner := onlyOne(t, peers)
		if owner == nil {
			return
		}
		must(t, owner.cmd.Process.Kill())
		owner.cmd.Wait()
		next.tell(t)
		if got := next.says(); got != "works" {
			t.Fatalf("after the owner died the next one says %q", got)
		}
		next.tell(t)
		if got := next.says(); got != "achieved" {
			t.Errorf("the next one ends with %q", got)
		}
		if content, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(content) != "one\ntwo\n" {
			t.Errorf("a.txt holds %q, %v", content, err)
		}
		completedOnce(t, dir)
	}
}

// onlyOne is the peer that works; all others say that it does.
func onlyOne(t *testing.T, peers []*peer) (owner *peer) {
	t.Helper()
	said := make([]string, len(peers))
	for i, p := range peers {
		if said[i] = p.says(); said[i] == "works" {
			if owner != nil {
				t.Error("two controllers work on one tree")
			}
			owner = p
		}
	}
	if owner == nil {
		t.Errorf("no controller works: %q", said)
		return nil
	}
	who := "held by process " + strconv.Itoa(owner.cmd.Process.Pid) + " "
	for _, s := range said {
		if s != "works" && !strings.HasPrefix(s, who) {
			t.Errorf("a controller says %q, want %q", s, who)
		}
	}
	return owner
}

// completedOnce looks for steps that were carried out twice.
func completedOnce(t *testing.T, dir string) {
	t.Helper()
	ws := exec.Workspace{Dir: dir}
	runs, err := ws.IDs(t.Context())
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %q, %v; want one", runs, err)
	}
	records, err := ws.Records(context.Background(), runs[0])
	must(t, err)
	completed := 0
	for _, r := range records {
		if r.Type == (&history.StepCompleted{}).Type() {
			completed++
		}
	}
	if completed != 2 {
		t.Errorf("%d steps were completed, want 2", completed)
	}
}
