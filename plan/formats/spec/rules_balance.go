package spec

import (
	"fmt"
	"math"
	"strconv"

	"github.com/planlock/planlock/plan/internal/tomltree"
)

// balanceOf counts the steps of a task that say whether they are critical, and
// those that are.
func (t *task) balanceOf() (said, critical int) {
	for _, s := range t.steps {
		if s.critical.value != nil {
			said++
			critical += count(*s.critical.value)
		}
	}
	return said, critical
}

func balanceAll(j *judged, report reporter) {
	h := j.main()
	if h == nil {
		return
	}
	for _, t := range h.tasks {
		if said, critical := t.balanceOf(); len(t.steps) > 0 && said == len(t.steps) && critical == said {
			report(h, t.at, t.id, "", fmt.Sprintf("every step of task %s is critical (%d of %d)", t.id, critical, said),
				"set critical_flag = false where the goal is reached without the step")
		}
	}
}

func balanceNone(j *judged, report reporter) {
	h := j.main()
	if h == nil {
		return
	}
	for _, t := range h.tasks {
		if said, critical := t.balanceOf(); len(t.steps) > 1 && said == len(t.steps) && critical == 0 {
			report(h, t.at, t.id, "", fmt.Sprintf("no step of task %s is critical (0 of %d)", t.id, said),
				"set critical_flag = true where the goal fails with the step")
		}
	}
}

func balanceWhole(j *judged, report reporter) {
	h := j.main()
	if h == nil {
		return
	}
	said, critical, mixed := 0, 0, true
	for _, t := range h.tasks {
		s, c := t.balanceOf()
		if len(t.steps) == 1 {
			continue
		}
		mixed = mixed && (len(t.steps) == 0 || c > 0 && c < len(t.steps)) // else it was said of the task
		said, critical = said+s, critical+c
	}
	if !mixed || said == 0 || critical*100 >= said*40 && critical*100 <= said*60 {
		return
	}
	report(h, h.tasks[0].at, "", "", fmt.Sprintf("%d of %d steps are critical (%.0f %%)", critical, said,
		percent(critical, said)),
		"look again at which steps the goal fails with: 40 to 60 % is usual")
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

func totalWrong(j *judged, report reporter) {
	h := j.t
	if h == nil {
		return
	}
	steps, critical, backups := 0, 0, 0
	h.steps(func(t *task, s *step) {
		steps++
		backups += len(s.backups)
		f := s.flagOf(t)
		critical += count(f.value != nil && *f.value)
	})
	declared := h.root.Find("validation")
	for _, c := range []struct {
		key    string
		actual float64
	}{
		{"total_tasks", float64(len(h.tasks))}, {"total_steps", float64(steps)}, {"total_speclets",
			float64(len(h.speclets))},
		{"critical_steps", float64(critical)}, {"total_critical_steps", float64(critical)}, {"non_critical_steps",
			float64(steps - critical)},
		{"total_backups", float64(backups)}, {"critical_percentage_actual", percent(critical, steps)},
	} {
		if n := declared.Find(c.key); n != nil && differs(n, c.actual, 1) {
			report(h, n.At, "", "", fmt.Sprintf("%s is said to be %s, and is %s", c.key, shown(n), number64(c.actual)),
				"write "+number64(c.actual)+", or leave the total out")
		}
	}
	for _, t := range h.tasks {
		said, critical := t.balanceOf()
		if actual := percent(critical, len(t.steps)) / 100; t.balance != nil && said == len(t.steps) &&
			differs(t.balance, actual, 0.01) {
			report(h, t.balance.At, t.id, "",
				fmt.Sprintf("critical_balance of task %s is said to be %s, and is %d of %d", t.id, shown(t.balance),
					critical, said),
				"write "+number64(actual)+", or leave it out")
		}
	}
}

// differs reports whether a number is further than a rounding from what it
// should be.
func differs(n *tomltree.Node, actual, rounding float64) bool {
	f, err := strconv.ParseFloat(n.Text, 64)
	return err == nil && (n.Kind == tomltree.Integer || n.Kind == tomltree.Float) && math.Abs(f-actual) >= rounding-1e-9
}

func number64(f float64) string {
	return strconv.FormatFloat(math.Round(f*100)/100, 'f', -1, 64)
}
