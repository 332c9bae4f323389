package agree

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// anew counts how often steps of the task were tried again.
func (t *reportTask) anew() (n int) {
	for _, s := range t.Steps {
		tried := 0
		for _, a := range s.Attempts {
			if a.Reinstates == 0 && !a.faultless() {
				tried++
			}
		}
		n += max(tried-1, 0)
	}
	return n
}

// attempted reports whether anything of the task was carried out, here or in the
// run that this one finishes.
func (t *reportTask) attempted() bool {
	return t.Started != "" || t.Status == "completed" ||
		slices.ContainsFunc(t.Steps, func(s reportStep) bool { return s.Carried != nil })
}

// files are what the task changed; known is not set where another run did.
func (t *reportTask) files() (files string, known bool) {
	var all []string
	for _, s := range t.Steps {
		if s.Carried != nil {
			return "", false
		}
		if s.Status != "completed" || len(s.Attempts) == 0 {
			continue
		}
		if last := s.Attempts[len(s.Attempts)-1]; last.Ledger != nil && !last.RolledBack {
			for _, ch := range last.Ledger.Changes {
				if ch.Kind != "dir" {
					all = append(all, ch.Path)
				}
			}
		}
	}
	return listed(all), true
}

// listed are names in order, each once.
func listed(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// faultless reports whether an attempt that failed did so through no fault of its
// own: it was cut off, or set aside.
func (a *reportAttempt) faultless() bool {
	return a.Failure != nil && (slices.Contains([]string{"interrupted", "lost", "moved", "met", "over-budget", "not-served"}, a.Failure.Class) ||
		a.Lane != nil && a.Lane.State == "join-failed")
}

// failed reports whether an attempt of the step failed of itself.
func (s *reportStep) failed() bool {
	return slices.ContainsFunc(s.Attempts, func(a reportAttempt) bool { return a.Failure != nil && !a.faultless() })
}

// unaided reports whether nobody was asked about the step. What others did in the
// workspace is asked about at a step, and is none of it.
func (s *reportStep) unaided() bool {
	return !slices.ContainsFunc(s.Questions, func(q asked) bool { return q.Kind != "external" && q.Kind != "conflict" })
}

// count says what the lists of a report come to.
func (c *claims) count(name string, r report) {
	n := map[string]int{}
	for _, key := range []string{"completed", "failed", "skipped", "blocked", "running", "pending", "tasks_completed",
		"tasks_failed", "tasks_skipped", "tasks_blocked", "carried", "attempts", "retries", "backups", "questions"} {
		n[key] = 0
	}
	bases := map[string]any{}
	for _, b := range []string{"proved", "reviewed", "self_tested", "declared", "unverified"} {
		bases[b] = 0.
	}
	fileLines := lines{}
	for _, f := range r.Files {
		fileLines.Added += f.Lines.Added
		fileLines.Removed += f.Lines.Removed
	}
	changed := map[string]bool{}
	unaided, done, there, fell, rose, anew, won, attempted := 0, 0, 0, 0, 0, 0, 0, 0
	n["questions"] = len(r.Questions)
	for _, t := range r.Tasks {
		n["tasks"]++
		n["tasks_"+strings.TrimSuffix(t.Status, "_final")]++
		if t.attempted() {
			attempted++
		}
		if t.anew() > 0 {
			anew++
			if t.Status == "completed" {
				won++
			}
		}
		changes := false
		for _, f := range r.Files {
			changes = changes || slices.ContainsFunc(t.Steps, func(s reportStep) bool {
				return slices.Contains(f.Steps, s.Address)
			})
		}
		if changes {
			c.say(name, "task "+t.ID+": changes files", true)
		}
		for _, s := range t.Steps {
			n["steps"]++
			n[s.Status]++
			n["attempts"] += len(s.Attempts)
			n["retries"] += s.Retries
			n["backups"] += len(s.Backups)
			n["questions"] += len(s.Questions)
			if s.Basis != nil {
				key := strings.ReplaceAll(s.Basis.Basis, "-", "_")
				bases[key] = bases[key].(float64) + 1
			}
			if s.Carried != nil {
				n["carried"]++
			}
			if s.failed() {
				fell++
				if s.Status == "completed" && s.unaided() {
					rose++
				}
			}
			if s.Skipped != nil && s.Skipped.Done && s.Status != "completed" {
				there++
			}
			if s.Status != "completed" {
				continue
			}
			done++
			if s.unaided() {
				unaided++
			}
			for _, a := range s.Attempts {
				if a.Outcome == "accepted" && a.Ledger != nil {
					for _, ch := range a.Ledger.Changes {
						changed[ch.Path] = changed[ch.Path] || ch.Kind != "dir"
					}
				}
			}
		}
	}
	for key, says := range n {
		c.say(name, "number of "+key, says)
	}
	total := 0.
	for _, says := range bases {
		total += says.(float64)
	}
	c.say(name, "steps that have a basis", total)
	c.say(name, "steps that have a basis", n["completed"]+there)
	c.say(name, "bases", shownBases(bases))
	c.say(name, "lines", shownLines(fileLines))
	for _, f := range r.Files {
		if !changed[f.Path] && n["carried"] == 0 {
			c.say(name, "files", "without "+f.Path+", which no completed step changed")
		}
	}
	c.say(name, "KPI steps_without_help_rate", rate(unaided, done))
	c.say(name, "KPI failure_recovery_rate", rate(rose, fell))
	c.say(name, "steps of which an attempt failed", fell)
	c.say(name, "tasks attempted", attempted)
	if len(r.Words)+len(r.Approvals)+len(r.Evidence) == 0 { // else they have retries of their own
		c.say(name, "KPI tasks_tried_anew", anew)
		c.say(name, "KPI retry_succeeded", won)
	}
	c.say(name, "KPI total_tasks", n["tasks"])
	c.say(name, "KPI completed", n["tasks_completed"])
	c.say(name, "KPI completion_rate", rate(n["tasks_completed"], n["tasks"]))
	c.say(name, "KPI runtime_seconds", float64(r.Duration)/1000)
}

// rate is a share as JSON has it: to three places.
func rate(n, of int) any {
	if of == 0 {
		return nil
	}
	var v float64
	_ = json.Unmarshal(fmt.Appendf(nil, "%.3f", float64(n)/float64(of)), &v)
	return v
}

// shownBases is how documents for people count bases.
func shownBases(of map[string]any) string {
	var parts []string
	for _, b := range []string{"proved", "reviewed", "self_tested", "declared", "unverified"} {
		if n, _ := of[b].(float64); n > 0 {
			parts = append(parts, fmt.Sprintf("%v %s", n, strings.ReplaceAll(b, "_", "-")))
		}
	}
	return strings.Join(parts, " · ")
}
