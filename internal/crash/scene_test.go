package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A plot is how large a plan is, and what a person does meanwhile.
type plot struct {
	tasks     int          // of 7 steps each
	stopAfter plan.Address // here somebody interrupts the run, the first time
	backTo    plan.Address // and sets it back to before this step
	isolate   bool         // it works in a clone
	witnessed bool         // journals have witnesses outside of the workspace
	// nobody observes the run, so that the completion of a step is synced while
	// the next one is made ready
	unseen bool
	// nobody signs the journal
	unsigned bool
	twice    bool // what steps do is compared with a second execution
	lanes    bool // steps run at once; see lanesText
	asks     bool // a person says what becomes of lanes that met
}

// A scene is a plan, and what its steps do.
type scene struct {
	text func(tasks int) string
	step func(desk, exec.Work) error
}

func (p plot) scene() scene {
	if p.lanes {
		return scene{lanesText, laneStep}
	}
	if p.twice {
		return scene{func(tasks int) string {
			return strings.Replace(planText(tasks), head, head+"\n[execution]\ndeterministic = true\n", 1)
		}, step}
	}
	return scene{planText, step}
}

var short = plot{tasks: 2, stopAfter: "2.1", backTo: "1.5"}

// head is how each plan begins.
const head = `schema = 1
requirements = [{ id = "R1", text = "files" }]
non_goals = [{ id = "N1", text = "the secret stays", paths = ["secret/**"] }]
invariants = []

[meta]
goal_descriptor = "crash"

[goal]
description = "Write many files, whatever happens"

[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 2
semantic_change = "extending"
limits = { max_files = 9, max_lines = 900 }
`

// planText is a plan of so many tasks of seven steps, one after another.
func planText(tasks int) string {
	var b strings.Builder
	b.WriteString(head)
	for task := 1; task <= tasks; task++ {
		writeTask(&b, task, "",
			`artifacts = { create = ["%[1]s", "%[1]s/a.txt"] }`+holds("%[1]s/a.txt", "first"),
			`artifacts = { modify = ["%[1]s/a.txt"] }`+trusted,
			`artifacts = { create = ["%[1]s/b.txt"] }`+anotherWay,
			`artifacts = { modify = ["shared.txt"] }`+trusted,
			`artifacts = { delete = ["%[1]s/a.txt"], create = ["%[1]s/c.txt"] }`+holds("%[1]s/c.txt", "line 29"),
			`artifacts = { create = ["%[1]s/in", "%[1]s/in/run", "%[1]s/link"] }`+trusted,
			`artifacts = { modify = ["%[1]s/b.txt"] }`+trusted)
	}
	return b.String()
}

// trusted is for steps that nobody looks at.
const trusted = `
critical_flag = false`

// holds has a text looked for in what a step wrote, and held against trees that
// lack it, which the folder holds for a moment.
func holds(name, text string) string {
	return fmt.Sprintf(`
postconditions = [{ kind = "file_contains", path = "%s", text = "%s" }]`, name, text)
}

const anotherWay = trusted + `
on_failure = "block"

[[tasks.steps.backups]]
id = 1
description = "Another way"
run = "true"`

// writeTask writes a task with keys of its own, and keys of each of its steps;
// %[1]s is the folder of the task.
func writeTask(b *strings.Builder, task int, keys string, steps ...string) {
	fmt.Fprintf(b, "\n[[tasks]]\nid = %d\ndescription = \"Task %d\"\n%s", task, task, keys)
	for i, more := range steps {
		fmt.Fprintf(b, "\n[[tasks.steps]]\nid = %d\ndescription = \"Step %d\"\nrun = \"true\"\n", i+1, i+1)
		fmt.Fprintf(b, "expected_output = \"done\"\n%s\n", strings.ReplaceAll(more, "%[1]s", fmt.Sprintf("d%d", task)))
	}
}

// files are what a workspace holds before the run.
func files() map[string]string {
	return map[string]string{"shared.txt": lines("shared", 200), "secret/key": "do not touch",
		"README": "a workspace\n"}
}

// lines is a text of many lines.
func lines(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s, line %d of it\n", word, i)
	}
	return b.String()
}

// A desk is where a step does its work: the workspace, through the disk.
type desk struct{ root *disk.Root }

func (d desk) write(name, content string, perm fs.FileMode) error {
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(content))
	return errors.Join(err, f.Close())
}

// over writes over a part of a file.
func (d desk) over(name, content string, offset int64) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), offset)
	return errors.Join(err, f.Close())
}

// work does what a step is to do, or something else at first.
func work(ctx context.Context, w exec.Work, s scene) (exec.Outcome, error) {
	root, err := disk.From(ctx).OpenRoot(w.Dir)
	if err != nil {
		return exec.Outcome{}, err
	}
	err = s.step(desk{root}, w)
	return exec.Outcome{Output: "done", Stdout: "done"}, errors.Join(err, root.Close())
}

var errNotYet = errors.New("not yet")

func step(d desk, w exec.Work) error {
	task, number, _ := strings.Cut(string(w.Step.Address), ".")
	dir := "d" + task
	switch number {
	case "1":
		return d.write(dir+"/a.txt", lines(dir+" first", 80), 0o644)
	case "2": // fails once, and leaves a mess
		if w.Attempt == 1 {
			return errors.Join(d.write(dir+"/a.txt", "junk", 0o644), d.root.Remove("README"),
				d.write("junk/deep/junk", "junk", 0o600), errNotYet)
		}
		return d.write(dir+"/a.txt", lines(dir+" first", 80)+"more\n", 0o644)
	case "3": // the first way does too much
		if w.Method.ID == "primary" {
			return errors.Join(d.write(dir+"/b.txt", "b\n", 0o644), d.write("extra.txt", "extra", 0o644))
		}
		return d.write(dir+"/b.txt", lines("b of "+dir, 5), 0o644)
	case "4": // in place, in the middle of a file, over what the task before it wrote there
		return d.over("shared.txt", strings.ToUpper(lines(dir+" was here", 20)), int64(1000+100*len(task)))
	case "5": // a new file by rename
		return errors.Join(d.root.Remove(dir+"/a.txt"), d.write(dir+"/.temp", lines("c", 30), 0o644),
			d.root.Rename(dir+"/.temp", dir+"/c.txt"))
	case "6":
		return errors.Join(d.write(dir+"/in/run", "#!/bin/true\n", 0o755), d.root.Symlink("in/run", dir+"/link"))
	case "7": // fails twice
		if w.Attempt <= 2 {
			return errors.Join(d.write(dir+"/b.txt", "worse\n", 0o644), d.root.Chmod(dir+"/b.txt", 0o600), errNotYet)
		}
		return d.write(dir+"/b.txt", lines("better b of "+dir, 40), 0o644)
	}
	return fmt.Errorf("there is no step %s", number)
}

// newLock locks the plan of a scene.
func newLock(t testing.TB, p plot) *plan.Locked {
	t.Helper()
	draft, err := native.Read("plan.toml", []byte(p.scene().text(p.tasks)))
	if err != nil {
		t.Fatal(err)
	}
	locked, err := plan.Lock(draft, plan.LockOptions{Check: plan.CheckOptions{Executors: []string{"script"}}})
	if err != nil {
		t.Fatal(err)
	}
	return locked
}

// furnish makes a workspace.
func furnish(dir string) error {
	for name, content := range files() {
		full := path.Join(dir, name)
		if err := os.MkdirAll(path.Dir(full), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
