package crash

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// inLanes is a run in which three tasks are carried out in lanes, and a fourth
// one once they are done. Lanes meet, one fails, somebody interrupts the run
// while lanes are joined, and sets it back to before a group.
var inLanes = plot{tasks: 3, lanes: true, stopAfter: "2.2", backTo: "3.1"}

// lanesText is the plan: each task has a step that makes a folder, one that
// changes a file, one in which lanes meet, and one that renames.
func lanesText(tasks int) string {
	var b strings.Builder
	b.WriteString(head + "\n[execution]\njobs = 3\non_conflict = \"ask\"\n")
	names := make([]string, tasks)
	for n := range tasks {
		names[n] = fmt.Sprint(n + 1)
		writeTask(&b, n+1, "",
			`artifacts = { create = ["%[1]s", "%[1]s/a.txt"] }`+trusted,
			`artifacts = { modify = ["%[1]s/a.txt"] }`+trusted,
			`artifacts = { create = ["%[1]s/b.txt"] }`+holds("%[1]s/b.txt", "b of"),
			`artifacts = { delete = ["%[1]s/a.txt"], create = ["%[1]s/c.txt", "%[1]s/link"] }`+trusted)
	}
	writeTask(&b, tasks+1, "depends_on = ["+strings.Join(names, ", ")+"]\n",
		`artifacts = { modify = ["shared.txt"] }`+holds("shared.txt", "ALL WERE HERE"))
	for _, n := range names {
		fmt.Fprintf(&b, "\n[[speclets]]\nid = \"l%[1]s\"\ntasks = [%[1]s]\nparallel_allowed = true\n", n)
	}
	return b.String()
}

// laneStep is what a step of lanesText does.
func laneStep(d desk, w exec.Work) error {
	task, number, _ := strings.Cut(string(w.Step.Address), ".")
	dir := "d" + task
	switch {
	case w.Task.DependsOn != nil:
		return d.over("shared.txt", strings.ToUpper(lines("all were here", 20)), 1000)
	case number == "1":
		return d.write(dir+"/a.txt", lines(dir+" first", 80), 0o644)
	case number == "2" && task == "2" && w.Attempt == 1: // fails, and leaves a mess in its lane
		return errors.Join(d.write(dir+"/a.txt", "junk", 0o644), d.root.Remove("README"),
			d.write("junk/deep/junk", "junk", 0o600), errNotYet)
	case number == "2":
		return d.over(dir+"/a.txt", strings.ToUpper(lines(dir, 5)), 100)
	case number == "3": // two of them meet, unless one of them was tried before
		var err error
		if task != "2" && w.Attempt == 1 {
			err = d.write("extra.txt", task, 0o644)
		}
		return errors.Join(err, d.write(dir+"/b.txt", lines("b of "+dir, 40), 0o644))
	}
	return errors.Join(d.root.Remove(dir+"/a.txt"), d.write(dir+"/.temp", lines("c", 30), 0o644),
		d.root.Rename(dir+"/.temp", dir+"/c.txt"), d.root.Symlink("c.txt", dir+"/link"))
}

// TestPowerLanes lets the power go while steps run at once, are joined, met, or
// are set back. "Killed" is a SIGKILL.
func TestPowerLanes(t *testing.T) {
	dose := theDose(t).inLanes()
	for n := range dose.orders {
		t.Run(fmt.Sprint("Order", n+1), func(t *testing.T) {
			dir := fast(t)
			base, trace := undisturbed(t, dir, dose.plot)
			base.ranInLanes(t)
			ofEach(t, dose, dir, base, trace)
		})
	}
}

// TestPowerLanesAsked is the same where a person is asked what becomes of lanes
// that met.
func TestPowerLanesAsked(t *testing.T) {
	dose := theDose(t).inLanes()
	dose.asks = true
	base, _, _ := ofAll(t, dose)
	base.ranInLanes(t)
}

// ranInLanes holds a run to it that what a test is about came up in it.
func (w *world) ranInLanes(t *testing.T) {
	t.Helper()
	run, back, err := w.know()
	if err != nil {
		t.Fatal(err)
	}
	met, asked := map[plan.Address]bool{}, 0
	for _, s := range run.Steps {
		for _, a := range append(s.Undone, s.Attempts...) {
			if a.Failure != nil && a.Failure.Class == history.Met {
				met[s.Address] = true
			}
		}
		asked += len(s.Questions)
	}
	if len(run.Groups) < 5 || !back || !met["1.3"] || !met["3.3"] || (asked > 0) != w.asks {
		t.Errorf("%d groups, set back: %v, those met: %v, questions: %d", len(run.Groups), back, met, asked)
	}
}
