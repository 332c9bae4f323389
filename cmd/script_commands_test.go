package cmd_test

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for something that must happen.
const patience = 10 * time.Second

type procsKey struct{}

// procs are the commands in the background, by name.
type procs map[string]*osexec.Cmd

func (p procs) kill() {
	for _, c := range p {
		if c.ProcessState == nil {
			c.Process.Kill()
			c.Wait()
		}
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func plain(ts *testscript.TestScript, neg bool, args []string, atLeast int, usage string) {
	if neg || len(args) < atLeast {
		ts.Fatalf("usage: %s", usage)
	}
}

func checkStatus(ts *testscript.TestScript, what string, err error, want int) {
	got := 0
	var exit *osexec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", what, err)
	}
	if got != want {
		ts.Fatalf("%s ended with status %d, want %d", what, got, want)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "exits STATUS COMMAND...")
	err := ts.Exec(args[1], args[2:]...)
	checkStatus(ts, strings.Join(args[1:], " "), err, number(ts, args[0]))
}

func start(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "start NAME COMMAND...")
	c := osexec.Command(args[1], args[2:]...)
	c.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "USER", "NO_COLOR", "PLANLOCK_STATE"} {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	defer errs.Close()
	c.Stdout, c.Stderr = out, errs
	ts.Check(c.Start())
	ts.Value(procsKey{}).(procs)[args[0]] = c
}

func background(ts *testscript.TestScript, name string) *osexec.Cmd {
	c := ts.Value(procsKey{}).(procs)[name]
	if c == nil {
		ts.Fatalf("nothing called %q was started", name)
	}
	return c
}

func signal(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "signal NAME SIGNAL")
	s, ok := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
		"KILL": syscall.SIGKILL}[args[1]]
	if !ok {
		ts.Fatalf("signal %q is none of INT, TERM, HUP, KILL", args[1])
	}
	ts.Check(background(ts, args[0]).Process.Signal(s))
}

func finish(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "finish NAME STATUS")
	c := background(ts, args[0])
	timer := time.AfterFunc(patience, func() { c.Process.Kill() })
	defer timer.Stop()
	err := c.Wait()
	ts.Logf("[%s.out]\n%s[%s.err]\n%s", args[0], ts.ReadFile(args[0]+".out"), args[0], ts.ReadFile(args[0]+".err"))
	checkStatus(ts, args[0], err, number(ts, args[1]))
}

// await opens a FIFO for both directions, because that does not block.
func await(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "await FIFO")
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR|syscall.O_NONBLOCK, 0)
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetReadDeadline(time.Now().Add(patience)))
	_, err = f.Read(make([]byte, 64)) // the whole line, so that nothing is left for the next one who waits
	ts.Check(err)
}

func release(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "release FIFO")
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(ts.MkAbs(args[0]), []byte("go\n"), 0) }()
	select {
	case err := <-done:
		ts.Check(err)
	case <-time.After(patience):
		for name := range ts.Value(procsKey{}).(procs) {
			ts.Logf("[%s.err]\n%s", name, ts.ReadFile(name+".err"))
		}
		ts.Fatalf("nobody reads %s", args[0])
	}
}

func flip(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "flip FILE OFFSET")
	name, at := ts.MkAbs(args[0]), number(ts, args[1])
	text, err := os.ReadFile(name)
	ts.Check(err)
	if at < 0 {
		at += len(text)
	}
	if at < 0 || at >= len(text) {
		ts.Fatalf("%s has %d bytes", args[0], len(text))
	}
	text[at] ^= 0xff
	ts.Check(os.WriteFile(name, text, 0o644))
}

// extend adds a record to the journal of the latest run of a workspace, as
// somebody does who has this package and not the key.
func extend(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "extend WORKSPACE")
	ws := exec.Workspace{Dir: ts.MkAbs(args[0])}
	run, err := ws.Find(context.Background(), "")
	ts.Check(err)
	journal, err := filelog.OpenJournal(context.Background(), filepath.Join(ws.RunDir(run), "journal"), run, nil)
	ts.Check(err)
	for _, f := range (history.Where{}).Locate(&history.MovesAccepted{By: "mallory"}) {
		fact, err := f.Encode()
		ts.Check(err)
		_, err = journal.Append(context.Background(), fact)
		ts.Check(err)
	}
	ts.Check(journal.Close())
}
