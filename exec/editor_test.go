package exec_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// asEditor makes this test binary somebody who edits files.
const asEditor = "PLANLOCK_TEST_EDITOR"

// An editor edits files of a workspace at random: it saves in place and by
// rename, makes, deletes, and moves folders. One edit in twenty is of a path
// that a step delivers. It knows what it did last at each path.
type editor struct {
	rng   *rand.Rand
	dir   string
	files map[string]*edited // by the names that they have while no folder is moved
	moved map[string]bool    // folders
	Edits int
}

// An edited is what an editor did last at a path.
type edited struct {
	At   string // where that is now
	Text string
	Gone bool
}

// editedFolders are the editor's own; it moves them as they are.
var editedFolders = []string{"u", "w/in"}

// deliveredPaths are those at which the steps of besideSteps work.
var deliveredPaths = []string{"a", "d/b", "m", "x", "d/e/c"}

// createdPaths are those of them at which nothing is before.
var createdPaths = []string{"a", "d/b", "d/e/c"}

func (e *editor) begin(dir string, seed uint64) {
	*e = editor{rng: rand.New(rand.NewPCG(seed, 1)), dir: dir, files: map[string]*edited{}, moved: map[string]bool{},
		Edits: e.Edits}
}

// edit makes one edit. What cannot be done, since something is there or not, is
// none.
func (e *editor) edit(delivered bool) error {
	e.Edits++
	folder := editedFolders[e.rng.IntN(len(editedFolders))]
	path := fmt.Sprintf("%s/f%d", folder, e.rng.IntN(4))
	if e.rng.IntN(4) == 0 {
		path = fmt.Sprintf("own%d", e.rng.IntN(2))
	}
	if delivered && e.rng.IntN(20) == 0 {
		path = deliveredPaths[e.rng.IntN(len(deliveredPaths))]
	}
	at, text := e.at(path), fmt.Sprintf("edit %d of %s\n", e.Edits, path)
	full := filepath.Join(e.dir, at)
	var err error
	switch e.rng.IntN(8) {
	case 0, 1, 2:
		err = os.WriteFile(full, []byte(text), 0o644)
	case 3, 4:
		if err = os.WriteFile(full+"~", []byte(text), 0o644); err == nil {
			err = os.Rename(full+"~", full)
		}
	case 5:
		var f *os.File
		if f, err = os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
	case 6:
		if err = os.Remove(full); err == nil {
			e.files[path] = &edited{At: at, Gone: true}
			return nil
		}
	case 7:
		return e.move(folder)
	}
	if err == nil {
		e.files[path] = &edited{At: at, Text: text}
	}
	return hardly(err)
}

// hardly is err, unless it is one that somebody has to reckon with who edits.
func hardly(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// at is where a path is now.
func (e *editor) at(path string) string {
	for folder, moved := range e.moved {
		if rest, in := strings.CutPrefix(path, folder+"/"); in && moved {
			return folder + "-moved/" + rest
		}
	}
	return path
}

func (e *editor) move(folder string) error {
	from, to := folder, folder+"-moved"
	if e.moved[folder] {
		from, to = to, from
	}
	err := os.Rename(filepath.Join(e.dir, from), filepath.Join(e.dir, to))
	if err == nil {
		e.moved[folder] = !e.moved[folder]
		for path, f := range e.files {
			f.At = e.at(path)
		}
	}
	return hardly(err)
}

// edits is the program: each line that it reads is a job.
func (e *editor) edits(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		job, rest, _ := strings.Cut(lines.Text(), " ")
		var n uint64
		if _, err := fmt.Sscan(rest, &n); err != nil {
			return err
		}
		switch job {
		case "begin":
			_, dir, _ := strings.Cut(rest, " ")
			e.begin(dir, n)
		case "edit", "edit-own":
			for range n {
				if err := e.edit(job == "edit"); err != nil {
					return err
				}
			}
		case "tell":
			if err := json.NewEncoder(out).Encode(e.files); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// besideSteps are steps whose work is recorded, whatever it is.
func besideSteps() string {
	text := strings.Replace(steps("", "1", "2", "3", "4", "5"), "schema = 1\n", "schema = 1\nprofile = \"observe\"\n", 1)
	for i := range 5 {
		text = strings.Replace(text, fmt.Sprintf("artifacts = { create = [\"%d\"] }\n", i+1), "", 1)
		text = strings.Replace(text, fmt.Sprintf("path = \"%d\" }", i+1), "path = \"keep\" }", 1)
	}
	return text
}

// besideLanes are the same steps in three lanes at once. They declare what they
// do not write, so that the first and the third one meet.
func besideLanes(onConflict string) string {
	text := strings.Replace(sideBySide(5, fmt.Sprintf("on_conflict = %q", onConflict)),
		"schema = 1\n", "schema = 1\nprofile = \"observe\"\n", 1)
	text = strings.Replace(text, "[defaults]\n", "[defaults]\nexecutor = \"script\"\n", 1)
	text = strings.Replace(text, "jobs = 5", "jobs = 3", 1)
	for i := range 5 {
		text = strings.Replace(text, fmt.Sprintf("path = \"%d\" }", i+1), "path = \"keep\" }", 1)
		text = strings.Replace(text, fmt.Sprintf("path = \"o%d\" }", i+1), "path = \"keep\" }", 1)
	}
	return text
}

var besideScript = exectest.Script{
	"1.1": exectest.All(exectest.Write("a", "step\n"), exectest.Write("m", "step 1\n")),
	"2.1": exectest.Write("d/b", "step\n"),
	"3.1": exectest.All(exectest.Write("a", "step 3\n"), exectest.Write("m", "step 3\n")),
	"4.1": exectest.All(exectest.Remove("x"), exectest.Write("d/e/c", "step\n")),
	"5.1": exectest.All(exectest.Write("m", "step 5\n"), exectest.Remove("d/b")),
}

// theRuns is how many runs TestBesideAnEditor carries out; one takes 100 edits
// or so.
const theRuns = "PLANLOCK_RUNS"

// besideCommands are what the steps of besideScript do, as commands.
var besideCommands = []string{"echo step > a; echo 'step 1' > m", "mkdir -p d; echo step > d/b",
	"echo 'step 3' > a; echo 'step 3' > m", "rm -f x; mkdir -p d/e; echo step > d/e/c", "echo 'step 5' > m; rm -f d/b"}

// byCommands has the steps of a plan be carried out by commands.
func byCommands(text string) string {
	text = strings.Replace(text, "executor = \"script\"", "executor = \"shell\"", 1)
	for _, run := range besideCommands {
		text = strings.Replace(text, "run = \"true\"", fmt.Sprintf("run = %q", run), 1)
	}
	return text
}

// TestBesideAnEditor carries runs out beside a process that edits files in the
// same workspace all the time; in every second one, steps run in lanes, and in
// one of four they are commands, which work in overlays where there are such. What
// that wrote last is there, byte for byte; at a path that steps deliver, it may
// be that a question or a finding names it. Who removes what a step created, and
// has the step carried out again, gets it anew. With the tag torture, these are
// 10,000 runs and a million edits; PLANLOCK_RUNS says how many they are.
func TestBesideAnEditor(t *testing.T) {
	runs, first := 6, uint64(0)
	if testing.Short() {
		runs = 2
	}
	if whole {
		runs = 10_000
	}
	if text := os.Getenv(theRuns); text != "" { // so many, or so many from a seed on
		if _, err := fmt.Sscanf(text+",0", "%d,%d", &runs, &first); err != nil {
			t.Fatalf("%s: %v", theRuns, err)
		}
	}
	p := newProcess(t, asEditor+"=1")
	var sum besides
	for seed := range uint64(runs) {
		seed += first
		b := &beside{T: t, peer: p, rng: rand.New(rand.NewPCG(seed, 2))}
		b.run(seed)
		sum.add(b.besides)
		if t.Failed() {
			break
		}
	}
	t.Logf("%d runs from seed %d on, %+v", runs, first, sum)
	if runs > 1 && (sum.Groups == 0 || sum.Edits == 0) {
		t.Error("no run was carried out in lanes, or nobody edited")
	}
}

// besides is what came of runs.
type besides struct{ Edits, Files, Delivered, Named, Questions, Resumed, Busy, Groups, Met, Anew, Commands int }

func (s *besides) add(o besides) {
	s.Edits, s.Files, s.Delivered = s.Edits+o.Edits, s.Files+o.Files, s.Delivered+o.Delivered
	s.Named, s.Questions, s.Resumed = s.Named+o.Named, s.Questions+o.Questions, s.Resumed+o.Resumed
	s.Busy, s.Groups, s.Met = s.Busy+o.Busy, s.Groups+o.Groups, s.Met+o.Met
	s.Anew, s.Commands = s.Anew+o.Anew, s.Commands+o.Commands
}

// A beside is one run beside an editor.
type beside struct {
	*testing.T
	*peer
	besides
	rng   *rand.Rand
	begun bool // a step began: what is edited before belongs to what the run begins with
	anew  bool // the run was set back, and steps were carried out again
	quiet bool // the editor has edited enough
	said  strings.Builder
}

// say gives the editor a job, at which it is while the controller goes on.
func (b *beside) say(format string, args ...any) {
	if _, err := fmt.Fprintf(b.in, format+"\n", args...); err != nil {
		b.Error(err)
	}
}

// edits has the editor edit.
func (b *beside) edits(n int) {
	job := "edit-own"
	if b.begun {
		job = "edit"
	}
	b.besides.Edits += n
	b.say("%s %d", job, n)
}

// enough is after how many questions of a run the editor leaves it in peace.
const enough = 4

func (b *beside) run(seed uint64) {
	files := exectest.Files{"keep": "k\n", "m": "m\n", "x": "x\n", "own0": "o\n", "d/k": "k\n"}
	for _, folder := range editedFolders {
		files[folder+"/f0"] = "f\n"
	}
	text := besideSteps()
	if seed%2 == 1 {
		text = besideLanes([]string{"ask", "sequential"}[seed/2%2])
	}
	if b.rng.IntN(4) == 0 {
		text, b.Commands = byCommands(text), 1
	}
	bench := exectest.New(b, text, files, besideScript)
	bench.Controller.Executors["shell"] = &shell.Executor{}
	defer os.RemoveAll(bench.Dir)
	b.say("begin %d %s", seed, bench.Dir)
	c := bench.Controller
	c.Escalator = asker(b.answer)
	c.Observe = func(_ context.Context, e event.Event) {
		switch f := e.Fact.(type) {
		case *history.StepStarted:
			b.begun = true
		case *history.GroupBegun:
			b.Groups++
		case *history.AttemptFailed:
			if f.Class == history.Met {
				b.Met++
			}
		case *history.RolledBack:
			b.anew = true
		}
		if b.Questions < enough && !b.quiet {
			b.edits(3)
		}
	}
	locked, err := plan.Lock(bench.Draft, plan.LockOptions{}) // which knows no tree
	must(b.T, err)
	b.edits(5)
	for again := 0; ; again++ {
		b.quiet = again > 10
		report, err := c.Resume(b.Context(), locked, "")
		if errors.Is(err, exec.ErrNoRun) {
			report, err = c.Run(b.Context(), locked)
		}
		var outcome *exec.OutcomeError
		var changed *checkpoint.ChangedError
		switch {
		case err == nil, errors.As(err, &outcome):
		case again > 20:
			b.Fatalf("seed %d: it comes to no end: %v\n%v\n%s", seed, err, report, b.said.String())
		case errors.Is(err, exec.ErrWaiting):
			b.Resumed++
			continue
		case errors.Is(err, scan.ErrChanging), errors.As(err, &changed): // as somebody writes there
			b.Busy++
			continue
		default:
			b.Errorf("seed %d: %v\n%v\n%s", seed, err, report, b.said.String())
		}
		break
	}
	b.check(bench.Dir, seed)
}

// answer answers at random, at last so that the run goes on. Nobody wants what the
// editor did put back: that would be a person's word, and not a loss.
func (b *beside) answer(q ask.Question) (ask.Answer, error) {
	b.Questions++
	fmt.Fprintf(&b.said, "%s: %s\n%s\n", q.Kind, q.What, strings.Join(q.Evidence, "\n"))
	if b.Questions < enough {
		b.edits(3)
	}
	var keys []string
	for _, c := range q.Choices {
		back := q.Kind == ask.External && c.Acknowledge != ""
		if !back && (c.Key != "s" || b.Questions < enough) {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 {
		return ask.Answer{}, fmt.Errorf("%s: nothing but to stop", q.Kind)
	}
	key := keys[b.rng.IntN(len(keys))]
	fmt.Fprintln(&b.said, "answered:", key)
	return answer(q, key), nil
}

// check looks for what the editor wrote last.
func (b *beside) check(dir string, seed uint64) {
	b.say("tell 0")
	var files map[string]*edited
	if err := json.Unmarshal([]byte(b.says()), &files); err != nil {
		b.Fatal("the editor ended: ", err)
	}
	place, err := delivery.Open(b.Context(), dir)
	must(b.T, err)
	defer place.Close()
	found, err := place.Findings(b.Context())
	must(b.T, err)
	for path, f := range files {
		b.Files++
		delivered := slices.Contains(deliveredPaths, path)
		if delivered {
			b.Delivered++
		}
		text, err := os.ReadFile(filepath.Join(dir, f.At))
		if f.Gone && errors.Is(err, fs.ErrNotExist) || !f.Gone && err == nil && string(text) == f.Text {
			continue
		}
		names := func(x delivery.Finding) bool { return x.Was.Path == f.At }
		if delivered && (strings.Contains(b.said.String(), path) || slices.ContainsFunc(found, names)) {
			b.Named++
			continue
		}
		if f.Gone && b.anew && slices.Contains(createdPaths, path) {
			b.Anew++ // it was removed, as the run did too, before its step was carried out again
			continue
		}
		b.Errorf("seed %d (anew: %v): %s holds %q, %v, and the editor's last was %+v; asked was\n%s%v", seed, b.anew,
			f.At, text, err, f, b.said.String(), found)
	}
}
