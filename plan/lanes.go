package plan

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/internal/network"
)

// MaxJobs is how many steps may run at once.
const MaxJobs = 64

// farthest is how many steps ahead are looked at for some that may run at once.
const farthest = 256

// Lanes tell which steps of a plan may run at once: those of tasks that are
// allowed to and do not wait for each other, whose declared sets do not meet. A
// step of which that is not known runs by itself. What is told is that of the
// plan when [Plan.Lanes] was called; lanes are never changed.
type Lanes struct {
	plan  *Plan
	steps []laneStep // in the order of execution
	at    map[Address]int
	group []int // speclets of the tasks, -1 without
	stage []int // of the speclets, from 0; -1 without
	work  *network.Graph
	place []int // of the nodes of work in its order, -1 for those of cycles
}

// Parallel reports whether the plan lets any task run beside others.
func (p *Plan) Parallel() bool {
	return slices.ContainsFunc(p.Tasks, func(t Task) bool { return t.Wave != "" }) ||
		slices.ContainsFunc(p.Speclets, func(s Speclet) bool { return s.parallel() })
}

// Lanes looks at what the steps of the plan declare.
func (p *Plan) Lanes() *Lanes {
	l := &Lanes{plan: p, at: map[Address]int{}, group: make([]int, len(p.Tasks)), stage: make([]int, len(p.Speclets)),
		work: p.taskGraph()}
	if p.Speclets != nil {
		l.work = p.jointGraph(l.work)
	}
	l.indexSpeclets()
	l.place = make([]int, len(l.work.Needs))
	for i := range l.place {
		l.place[i] = -1
	}
	for n, i := range l.work.Order() {
		l.place[i] = n
		if i >= len(p.Tasks) {
			continue
		}
		for j := range p.Tasks[i].Steps {
			s := laneStep{Step: &p.Tasks[i].Steps[j], task: i, alone: l.hermit(i)}
			if s.alone == "" {
				s.alone = s.solitary(p.Tasks[i].Files)
			}
			if s.alone == "" {
				s.collect(p.Tasks[i].Files)
			}
			if _, ok := l.at[s.Address]; !ok {
				l.at[s.Address] = len(l.steps)
			}
			l.steps = append(l.steps, s)
		}
	}
	return l
}

// indexSpeclets finds the speclet of each task, and the stage of each speclet.
func (l *Lanes) indexSpeclets() {
	for i := range l.group {
		l.group[i] = -1
	}
	tasks, speclets := indexOf(l.plan.Tasks, taskID), indexOf(l.plan.Speclets, specletID)
	for i := range l.plan.Speclets {
		l.stage[i] = -1
		for _, id := range l.plan.Speclets[i].Tasks {
			if t, ok := tasks[id]; ok && l.group[t] < 0 {
				l.group[t] = i
			}
		}
	}
	if l.plan.Speclets == nil {
		return
	}
	for n, ids := range l.plan.specletGraph().Stages() {
		for _, id := range ids {
			l.stage[speclets[id]] = n
		}
	}
}

// hermit says why all steps of a task run by themselves, or "".
func (l *Lanes) hermit(task int) string {
	t := &l.plan.Tasks[task]
	switch {
	case l.plan.Sandbox.Layer == InPlace:
		return "steps work in the workspace itself, where there is room for one"
	case t.Wave == "" && (l.group[task] < 0 || !l.plan.Speclets[l.group[task]].parallel()):
		return fmt.Sprintf("nothing allows task %q to run beside others", t.ID)
	case strings.HasPrefix(t.Kind, "checkpoint"):
		return fmt.Sprintf("task %q waits for a person", t.ID)
	}
	return ""
}

// parallel reports whether the speclet may run beside some others.
func (s *Speclet) parallel() bool {
	if s.ParallelAllowed != nil {
		return *s.ParallelAllowed
	}
	return s.Wave != ""
}

// Alone says why a step runs beside no other, in a sentence without a point; ""
// if it may run beside some.
func (l *Lanes) Alone(a Address) string {
	if i, known := l.at[a]; known {
		return l.steps[i].alone
	}
	return noPlace(a)
}

// noPlace says of a step that it is in a cycle, or no part of the plan.
func noPlace(a Address) string {
	return fmt.Sprintf("step %s has no place in the order of the plan", a)
}

// Apart says why two steps do not run at once, in a sentence without a point;
// "" if they may. It says the same of b and a.
func (l *Lanes) Apart(a, b Address) string {
	i, known := l.at[a]
	j, also := l.at[b]
	switch {
	case !known || !also:
		if known {
			a = b
		}
		return noPlace(a)
	case i > j:
		i, j = j, i
	}
	return l.apart(i, j)
}

// apart is Apart of two steps by their places, the earlier one first.
func (l *Lanes) apart(i, j int) string {
	x, y := &l.steps[i], &l.steps[j]
	switch {
	case x.task == y.task:
		return "steps of a task run one after another"
	case x.alone != "":
		return x.alone
	case y.alone != "":
		return y.alone
	}
	if why := l.unwilling(x.task, y.task); why != "" {
		return why
	}
	if l.needs(y.task, x.task) {
		return fmt.Sprintf("task %q comes after task %q", l.plan.Tasks[y.task].ID, l.plan.Tasks[x.task].ID)
	}
	for _, of := range [][2]*laneStep{{x, y}, {y, x}} {
		if t := of[0].TestIntent; t != nil && t.FixedBy == of[1].Address {
			return fmt.Sprintf("step %s makes the test of step %s pass", of[1].Address, of[0].Address)
		}
	}
	return x.meets(y)
}

// unwilling says why two tasks that may run beside others may not run beside
// each other, or "".
func (l *Lanes) unwilling(t, u int) string {
	a, b, g, h := &l.plan.Tasks[t], &l.plan.Tasks[u], l.group[t], l.group[u]
	switch {
	case g == h && a.Wave != "" && a.Wave == b.Wave:
		return ""
	case g == h:
		return fmt.Sprintf("tasks %q and %q are not of one wave", a.ID, b.ID)
	case g < 0 || h < 0:
		return fmt.Sprintf("tasks %q and %q are not of one speclet", a.ID, b.ID)
	}
	x, y := &l.plan.Speclets[g], &l.plan.Speclets[h]
	for _, s := range []*Speclet{x, y} {
		if !s.parallel() {
			return fmt.Sprintf("speclet %q may not run beside others", s.ID)
		}
	}
	switch {
	case x.Wave != y.Wave:
		return fmt.Sprintf("speclets %q and %q are not of one wave", x.ID, y.ID)
	case x.Wave == "" && (l.stage[g] < 0 || l.stage[g] != l.stage[h]):
		return fmt.Sprintf("speclets %q and %q are in different stages", x.ID, y.ID)
	}
	return ""
}

// needs reports whether a task comes after another one, directly or not, by
// what tasks and speclets depend on. Nothing that comes before the other one is
// looked at.
func (l *Lanes) needs(task, other int) bool {
	seen, open := map[int]bool{}, []int{task}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		for _, j := range l.work.Needs[i] {
			if j == other {
				return true
			}
			if l.place[j] > l.place[other] && !seen[j] {
				seen[j] = true
				open = append(open, j)
			}
		}
	}
	return false
}

// Beside are the steps that may run at once with the first of rest, which are
// the steps that are not over, in the order of execution: that one, and each
// later one that may run at once with all before it, whether those are members
// or not. So no step overtakes one that it may have to wait for. No more than
// 256 steps are looked at.
func (l *Lanes) Beside(rest iter.Seq[Address]) iter.Seq[Address] {
	return func(yield func(Address) bool) {
		var before []int
		for a := range rest {
			i, known := l.at[a]
			waits := func(j int) bool { return l.apart(min(i, j), max(i, j)) != "" }
			first := len(before) == 0
			if (first || known && !slices.ContainsFunc(before, waits)) && !yield(a) {
				return
			}
			if before = append(before, i); !known || l.steps[i].alone != "" || len(before) >= farthest {
				return
			}
		}
	}
}
