package characterise

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a scenario waits for something that must happen.
const patience = 30 * time.Second

// A scene is a folder with a workspace in it, and the record of what happened
// there.
//
// Each line of a script is a command of the shell, or one of these:
//
//	cd FOLDER             changes the current folder, at first that of the scene
//	env NAME=VALUE        sets a variable
//	flip FILE OFFSET      changes a byte
//	start NAME COMMAND    carries a command out in the background
//	await FIFO            waits until somebody writes into it
//	release FIFO          writes into it
//	signal NAME SIGNAL    INT, TERM or KILL
//	finish NAME           waits for the command, and records what it printed
//	full                  has documents recorded in full, and not by their digests
//	record LABEL          records all documents of all runs as they are now
//	glance LABEL          records what is there for whoever is asked
//
// At the end everything is recorded once more.
type scene struct {
	t          *testing.T
	root, cwd  string
	env        []string
	background map[string]*job
	session    strings.Builder
	full       bool
	recorded   []file
	known      map[string]string // documents, by label and name, that stand in the record already
}

type job struct {
	cmd    *osexec.Cmd
	line   string
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func newScene(t *testing.T) *scene {
	t.Helper()
	// The length of the path is always the same, since documents break their
	// lines.
	root := filepath.Join(os.TempDir(), fmt.Sprintf("characterise-%08x", rand.Uint32()))
	for _, name := range []string{"ws", "last"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &scene{t: t, root: root, cwd: root, background: map[string]*job{}, known: map[string]string{}}
	path := filepath.Dir(command(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// What a machine has of TypeScript makes no difference to what is recorded.
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "NODE_PATH=") })
	s.env = append(own, "PATH="+path, "PLANLOCK_STATE="+filepath.Join(root, "state"), "USER=alice", "NO_COLOR=1", "TERM=dumb", "LAST="+filepath.Join(root, "last"), "REPOSITORY="+repository)
	t.Cleanup(func() {
		for _, j := range s.background {
			if j.cmd.ProcessState == nil {
				j.cmd.Process.Kill()
				j.cmd.Wait()
			}
		}
		if err := os.RemoveAll(root); err != nil {
			t.Log(err)
		}
	})
	return s
}

// play carries a script out.
func (s *scene) play(script string) {
	s.t.Helper()
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "cd" && strings.Contains(rest, " ") {
			verb = "" // it is a part of a longer command
		}
		switch verb {
		case "#":
			s.session.WriteString("\n" + line + "\n")
		case "start":
			s.start(rest)
		case "await":
			s.await(filepath.Join(s.cwd, rest))
		case "release":
			s.release(filepath.Join(s.cwd, rest))
		case "cd":
			s.cwd = filepath.Join(s.cwd, rest)
		case "env":
			s.env = append(s.env, rest)
		case "flip":
			s.flip(rest)
		case "signal":
			s.signal(rest)
		case "finish":
			s.finish(rest)
		case "full":
			s.full = true
		case "record":
			s.record(rest + "/")
		case "glance":
			s.glance(rest + "/")
		default:
			if line != "" {
				s.run(line)
			}
		}
	}
	s.record("")
}

// run carries out a command of the shell, and writes down what comes of it.
func (s *scene) run(line string) {
	s.t.Helper()
	out, errs, status := s.ask(line)
	for name, text := range map[string][]byte{"stdout": out, "stderr": errs} { // for scripts, in $LAST
		if err := os.WriteFile(filepath.Join(s.root, "last", name), text, 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	s.say(line, out, errs, status)
}

func (s *scene) say(line string, stdout, stderr []byte, status int) {
	n := s.normaliser()
	fmt.Fprintf(&s.session, "\n$ %s\n", line)
	if !strings.HasPrefix(line, "planlock") && status == 0 && len(stdout) == 0 && len(stderr) == 0 {
		return
	}
	fmt.Fprintf(&s.session, "[status %d]\n", status)
	for _, stream := range [][]byte{stderr, stdout} {
		s.session.WriteString(n.stream(string(stream)))
	}
}

// ask carries out a command of the shell, and writes nothing down.
func (s *scene) ask(line string) (stdout, stderr []byte, status int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	c := osexec.CommandContext(ctx, "sh", "-c", line)
	c.Dir, c.Env = s.cwd, s.env
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	status = s.status(line, c.Run(), &out, &errs)
	return out.Bytes(), errs.Bytes(), status
}

func (s *scene) status(what string, err error, out, errs *bytes.Buffer) int {
	var exit *osexec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		s.t.Fatalf("%s: %v\n%s%s", what, err, out, errs)
	}
	return exit.ExitCode()
}

func (s *scene) start(rest string) {
	s.t.Helper()
	name, line, _ := strings.Cut(rest, " ")
	j := &job{cmd: osexec.Command("sh", "-c", "exec "+line), line: line}
	j.cmd.Dir, j.cmd.Env = s.cwd, s.env
	j.cmd.Stdout, j.cmd.Stderr = &j.stdout, &j.stderr
	if err := j.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.background[name] = j
}

func (s *scene) job(name string) *job {
	s.t.Helper()
	j := s.background[name]
	if j == nil {
		s.t.Fatalf("nothing called %q was started", name)
	}
	return j
}

// await opens a FIFO for both directions, because that does not block.
func (s *scene) await(fifo string) {
	s.t.Helper()
	f, err := os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(patience))
	if _, err := f.Read(make([]byte, 64)); err != nil {
		for name, j := range s.background {
			s.t.Logf("%s: %s%s", name, &j.stdout, &j.stderr)
		}
		s.t.Fatalf("nobody writes into %s: %v", fifo, err)
	}
}

func (s *scene) release(fifo string) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(fifo, []byte("go\n"), 0) }()
	select {
	case err := <-done:
		if err != nil {
			s.t.Fatal(err)
		}
	case <-time.After(patience):
		s.t.Fatalf("nobody reads %s", fifo)
	}
}

func (s *scene) signal(rest string) {
	s.t.Helper()
	name, signal, _ := strings.Cut(rest, " ")
	known := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	if known[signal] == nil {
		s.t.Fatalf("signal %q is none of INT, TERM, KILL", signal)
	}
	if err := s.job(name).cmd.Process.Signal(known[signal]); err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(&s.session, "\n$ kill -%s: %s\n", signal, name)
}

func (s *scene) finish(name string) {
	s.t.Helper()
	j := s.job(name)
	timer := time.AfterFunc(patience, func() { j.cmd.Process.Kill() })
	defer timer.Stop()
	status := s.status(name, j.cmd.Wait(), &j.stdout, &j.stderr)
	s.say(j.line, j.stdout.Bytes(), j.stderr.Bytes(), status)
}

func (s *scene) flip(rest string) {
	s.t.Helper()
	var name string
	var at int
	if _, err := fmt.Sscan(rest, &name, &at); err != nil {
		s.t.Fatal(err)
	}
	name = filepath.Join(s.cwd, name)
	text, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	text[at] ^= 0xff
	if err := os.WriteFile(name, text, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// workspaces are the folders of the scene that planlock worked in.
func (s *scene) workspaces() []string {
	found, _ := filepath.Glob(filepath.Join(s.root, "*", ".planlock", "runs"))
	for i, name := range found {
		found[i] = filepath.Dir(filepath.Dir(name))
	}
	return found
}

// runs are the ids of the runs of a workspace, the first one first.
func runs(workspace string) []string {
	entries, _ := os.ReadDir(filepath.Join(workspace, ".planlock", "runs"))
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.Name())
	}
	slices.Sort(ids)
	return ids
}

func (s *scene) normaliser() normaliser {
	n := normaliser{paths: strings.NewReplacer(s.root, "ROOT", filepath.Base(s.root), "ROOT", bin, "BIN"),
		runs: map[string]string{}}
	for _, ws := range s.workspaces() {
		for i, id := range runs(ws) {
			n.runs[id] = fmt.Sprintf("RUN%d", i+1)
		}
	}
	return n
}
