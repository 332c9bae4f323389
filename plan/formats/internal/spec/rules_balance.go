package spec

import (
	"math"
	"strconv"

	"github.com/planlock/planlock/plan/internal/tomltree"
)

// balanceOf counts the steps of a task of which it is said whether they are
// critical, be it of all of them at once, and those that are.
func (t *task) balanceOf() (said, critical int) {
	for _, s := range t.steps {
		if f := s.flagOf(t); f.value != nil {
			said++
			critical += count(*f.value)
		}
	}
	return said, critical
}

// If every step of a task is critical, the flag tells nothing.
func balanceAll(c spot) {
	if said, critical := c.t.balanceOf(); len(c.t.steps) > 0 && said == len(c.t.steps) && critical == said {
		c.tell(c.t.at, "set critical_flag = false where the goal is reached without the step",
			"every step of task %s is critical (%d of %d)", c.t.id, critical, said)
	}
}

// If no step of a task is critical, the goal may fail unseen. A task with one
// step is exempt.
func balanceNone(c spot) {
	if said, critical := c.t.balanceOf(); len(c.t.steps) > 1 && said == len(c.t.steps) && critical == 0 {
		c.tell(c.t.at, "set critical_flag = true where the goal fails with the step",
			"no step of task %s is critical (0 of %d)", c.t.id, said)
	}
}

// Of all steps, 40 to 60 % are critical in a plan that distinguishes them.
func balanceWhole(c spot) {
	said, critical, mixed := 0, 0, true
	for _, t := range c.h.tasks {
		s, n := t.balanceOf()
		if len(t.steps) == 1 {
			continue
		}
		mixed = mixed && (len(t.steps) == 0 || n > 0 && n < len(t.steps)) // else it was said of the task
		said, critical = said+s, critical+n
	}
	if mixed && said > 0 && (critical*100 < said*40 || critical*100 > said*60) {
		c.tell(c.h.tasks[0].at, "look again at which steps the goal fails with: 40 to 60 % is usual",
			"critical: %d of %d steps (%.0f %%)", critical, said, percent(critical, said))
	}
}

// percent is 0 where there is nothing to take a part of.
func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// Totals that were written by hand, in [validation] or as critical_balance of a
// task, are those of the plan.
func totalWrong(c spot) {
	h := c.h
	steps, critical, backups := 0, 0, 0
	h.steps(func(t *task, s *step) {
		steps++
		backups += len(s.backups)
		f := s.flagOf(t)
		critical += count(f.value != nil && *f.value)
	})
	declared := h.root.Find("validation")
	for _, total := range []struct {
		key    string
		actual float64
	}{
		{"total_tasks", float64(len(h.tasks))}, {"total_steps", float64(steps)},
		{"total_speclets", float64(len(h.speclets))}, {"critical_steps", float64(critical)},
		{"total_critical_steps", float64(critical)}, {"non_critical_steps", float64(steps - critical)},
		{"total_backups", float64(backups)}, {"critical_percentage_actual", percent(critical, steps)},
	} {
		if n := declared.Find(total.key); n != nil && differs(n, total.actual, 1) {
			c.tell(n.At, "write "+number64(total.actual)+", or leave the total out", "%s is said to be %s, and is %s",
				total.key, shown(n), number64(total.actual))
		}
	}
	for _, t := range h.tasks {
		said, critical := t.balanceOf()
		if actual := percent(critical, len(t.steps)) / 100; t.balance != nil && said == len(t.steps) &&
			differs(t.balance, actual, 0.01) {
			c.of(t, nil).tell(t.balance.At, "write "+number64(actual)+", or leave it out",
				"critical_balance of task %s is said to be %s, and is %d of %d", t.id, shown(t.balance), critical, said)
		}
	}
}

// differs reports whether a number is further than a rounding from what it
// should be.
func differs(n *tomltree.Node, actual, rounding float64) bool {
	f, err := strconv.ParseFloat(n.Text, 64)
	return err == nil && (n.Kind == tomltree.Integer || n.Kind == tomltree.Float) && math.Abs(f-actual) >= rounding-1e-9
}

// number64 is a number with at most two digits behind the point.
func number64(f float64) string {
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}
