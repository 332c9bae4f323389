package modes

import "fmt"

// inARow counts the failed steps at the end. A completed step starts anew.
func (t Triggers) inARow(steps []Step) Measurement {
	row := trailing(steps, func(s Step) bool { return s.Failed })
	return measured(Measurement{Trigger: ConsecutiveFailures, Condition: FailedInARow,
		Value: float64(len(row)), Threshold: float64(t.Consecutive), Fired: len(row) >= t.Consecutive,
		Text: fmt.Sprintf("%s failed in a row, %d are enough to ask", count(len(row), "step"), t.Consecutive),
	}, row, "look at what these steps have in common before the next one runs")
}

// sameBackup counts the successes of the backup that succeeded most often in
// the window.
func (t Triggers) sameBackup(steps []Step) Measurement {
	var most []Step
	for _, s := range t.last(steps) {
		if s.Backup == "" {
			continue
		}
		same := those(t.last(steps), func(o Step) bool { return o.Backup == s.Backup })
		if len(same) > len(most) {
			most = same
		}
	}
	name := ""
	if len(most) > 0 {
		name = most[0].Backup
	}
	return measured(Measurement{Trigger: BackupDepletion, Condition: SameBackup,
		Value: float64(len(most)), Threshold: float64(t.SameBackup), Fired: len(most) >= t.SameBackup,
		Text: fmt.Sprintf("the same backup succeeded %s in the last %s, %d are enough to ask",
			count(len(most), "time"), count(len(t.last(steps)), "step"), t.SameBackup),
	}, most, fmt.Sprintf("make %s the primary method, by a new plan", name))
}

// backupRate is the share of the window that needed backups.
func (t Triggers) backupRate(steps []Step) Measurement {
	return t.share(steps, BackupDepletion, BackupRate, t.BackupRate, func(s Step) bool { return s.Backups > 0 },
		"needed backups", "rework the primary methods of these steps: they cannot be relied on")
}

// exhausted counts the failed steps at the end of which all backups failed too.
// A step that has none ends the row.
func (t Triggers) exhausted(steps []Step) Measurement {
	row := trailing(steps, func(s Step) bool { return s.Exhausted })
	return measured(Measurement{Trigger: BackupDepletion, Condition: Exhausted,
		Value: float64(len(row)), Threshold: float64(t.Exhausted), Fired: len(row) >= t.Exhausted,
		Text: fmt.Sprintf("all backups failed in %s in a row, %d are enough to ask", count(len(row), "step"), t.Exhausted),
	}, row, "look for another approach: the alternatives that the plan has do not work here")
}

// mismatches is the share of the window in which an output was not the expected
// one.
func (t Triggers) mismatches(steps []Step) Measurement {
	return t.share(steps, ConfidenceDegradation, OutputMismatch, t.MismatchRate,
		func(s Step) bool { return s.Mismatch },
		"delivered another output than expected", "check what the plan expects of these steps against what they can deliver")
}

// violations is the share of the window in which an attempt broke what its step
// was bound to.
func (t Triggers) violations(steps []Step) Measurement {
	return t.share(steps, ConfidenceDegradation, ViolationRate, t.ViolationRate,
		func(s Step) bool { return s.Violation },
		"broke a constraint", "check the executor's instructions against the contracts of these steps")
}

// share measures how much of the window has a property. It fires only for a
// whole window.
func (t Triggers) share(steps []Step, trigger Trigger, c Condition, threshold float64, has func(Step) bool, what,
	recommend string) Measurement {
	window := t.last(steps)
	with := those(window, has)
	rate := float64(len(with)) / float64(len(window))
	return measured(Measurement{Trigger: trigger, Condition: c, Value: rate, Threshold: threshold,
		Fired: len(window) == t.Window && rate >= threshold,
		Text: fmt.Sprintf("%d of the last %s (%.0f %%) %s, %.0f %% of %d are enough to ask", len(with),
			count(len(window), "step"), 100*rate, what, 100*threshold, t.Window),
	}, with, recommend)
}

// retries compares the retries of the last window with those of the one before
// it.
func (t Triggers) retries(steps []Step) Measurement {
	sum := func(window []Step) (n int) {
		for _, s := range window {
			n += s.Retries
		}
		return n
	}
	window := t.last(steps)
	now, before := sum(window), sum(steps[len(steps)-2*t.Window:len(steps)-t.Window])
	average := func(n int) float64 { return float64(n) / float64(t.Window) }
	m := Measurement{Trigger: ConfidenceDegradation, Condition: RetryGrowth, Threshold: t.RetryGrowth}
	growth := ""
	if before > 0 {
		// Whole retries are compared, so that no rounding moves the edge.
		m.Value = float64(now-before) / float64(before)
		m.Fired = m.Value >= t.RetryGrowth
		growth = fmt.Sprintf(" (%+.0f %%)", 100*m.Value)
	} else {
		m.Value = average(now)
		m.Fired = now > 0 && m.Value >= t.RetryGrowth
	}
	m.Text = fmt.Sprintf("retries per step went from %.1f to %.1f%s in the last %d steps, +%.0f %% are enough to ask",
		average(before), average(now), growth, t.Window, 100*t.RetryGrowth)
	return measured(m, those(window, func(s Step) bool { return s.Retries > 0 }),
		"slow down: something that these steps rely on gets worse")
}

// count is a number of things, for people.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// ofTask counts the failed steps of the task that the last step belongs to, or,
// where they are more, those in a row, over all tasks.
func (t Triggers) ofTask(steps []Step) Measurement {
	task := steps[len(steps)-1].Task
	failed := those(steps, func(s Step) bool { return s.Failed && s.Task == task })
	text, recommend := fmt.Sprintf("%s of task %s failed", count(len(failed), "step"), task), "look at task "+task+" as a whole"
	if row := trailing(steps, func(s Step) bool { return s.Failed }); len(row) > len(failed) {
		failed, text, recommend = row, count(len(row), "step")+" failed in a row", "look at these tasks as a whole"
	}
	return measured(Measurement{Trigger: FailureThreshold, Condition: FailuresOfATask,
		Value: float64(len(failed)), Threshold: float64(t.TaskFailures), Fired: len(failed) >= t.TaskFailures,
		Text: fmt.Sprintf("%s, the plan's threshold is %d", text, t.TaskFailures),
	}, failed, recommend+": the failures have reached what the plan allows")
}

// Measure measures all conditions over steps, oldest first, always in the same
// order. Zero fields of t mean the defaults. Without steps nothing is measured.
func (t Triggers) Measure(steps []Step) []Measurement {
	if len(steps) == 0 {
		return nil
	}
	t = t.complete()
	all := []Measurement{t.inARow(steps), t.sameBackup(steps), t.backupRate(steps), t.exhausted(steps),
		t.mismatches(steps), t.violations(steps)}
	if len(steps) >= 2*t.Window {
		all = append(all, t.retries(steps))
	}
	if t.TaskFailures > 0 {
		all = append(all, t.ofTask(steps))
	}
	return all
}
