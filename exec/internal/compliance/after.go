package compliance

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/modes"
	"github.com/planlock/planlock/plan"
)

// A Review is what a run came to, article by article.
type Review struct {
	Articles   []Reviewed  `json:"articles"`
	Balance    Ratio       `json:"overall_critical_balance"`
	Score      int         `json:"overall_compliance_score"`
	Deductions []Deduction `json:"deductions,omitempty"` // from 100 to the score
}

// Reviewed is what the review says of one article.
type Reviewed struct {
	Article        Article   `json:"article"`
	Title          string    `json:"title"`
	Holds          bool      `json:"compliant"`
	Why            string    `json:"why"` // what was looked at
	Findings       []Finding `json:"findings,omitempty"`
	Recommendation string    `json:"recommendation,omitempty"`
}

// A Deduction is what one finding took from the score.
type Deduction struct {
	Finding string `json:"finding"`
	Points  int    `json:"points"`
}

// After reviews a run that is over, or as far as it has come.
func After(p *plan.Plan, r *history.Run) Review {
	v := Review{Balance: ratioOf(p.Tasks...), Score: 100}
	for _, article := range articles {
		a := reviewers[article](p, r)
		a.Article, a.Title, a.Holds = article, article.Title(), len(a.Findings) == 0
		for _, f := range a.Findings {
			v.Deductions = append(v.Deductions, Deduction{f.String(), f.Severity.Cost()})
			v.Score -= f.Severity.Cost()
		}
		v.Articles = append(v.Articles, a)
	}
	v.Score = max(v.Score, 0)
	return v
}

var reviewers = map[Article]func(*plan.Plan, *history.Run) Reviewed{
	Propagation: reviewPropagation, Balance: reviewBalance, Backups: reviewBackups, Reading: reviewReading,
	Escalation: reviewEscalation, Logging: reviewLogging, Knowledge: reviewKnowledge,
}

func reviewPropagation(p *plan.Plan, _ *history.Run) Reviewed {
	return Reviewed{Why: "settings of the plan", Findings: propagation(p, "")}
}

// reviewBalance looks at each task, and at critical flags in the light of what
// happened.
func reviewBalance(p *plan.Plan, r *history.Run) Reviewed {
	v := Reviewed{}
	all := ratioOf(p.Tasks...)
	v.Why = fmt.Sprintf("critical: %d of %d steps", all.Critical, all.Total)
	for _, t := range p.Tasks {
		v.Findings = append(v.Findings, balance(t)...)
	}
	if !all.Recommended() {
		v.Recommendation = fmt.Sprintf("between %d and %d percent of critical steps are recommended", leastCritical,
			mostCritical)
	}
	return v
}

// reviewBackups finds backups that only do the same again.
func reviewBackups(p *plan.Plan, r *history.Run) Reviewed {
	v := Reviewed{}
	used := 0
	for _, t := range p.Tasks {
		for i := range t.Steps {
			s := &t.Steps[i]
			for _, b := range s.Backups {
				was := wasUsed(r, s.Address, b)
				if was {
					used++
				}
				if s.SameAgain(&b) {
					v.Findings = append(v.Findings, Finding{Backups, Warning, t.ID, s.Address,
						fmt.Sprintf("backup %s only does the same again", b.ID), "give another way; to try the same again is what max_retries is for"})
				}
			}
		}
	}
	v.Why = fmt.Sprintf("the plan's backups, of which %d were used", used)
	return v
}

// wasUsed reports whether a backup was attempted at a step, also where the run
// was set back since.
func wasUsed(r *history.Run, at plan.Address, b plan.Backup) bool {
	if s := r.Step(at); s != nil {
		for _, a := range slices.Concat(s.Undone, s.Attempts) {
			if a.Method.Method == "backup_"+b.ID {
				return true
			}
		}
	}
	return false
}

// reviewReading verifies that every step that began has read what failed before
// it.
func reviewReading(_ *plan.Plan, r *history.Run) Reviewed {
	v := Reviewed{}
	read := 0
	for _, s := range r.Steps {
		if s.Checkpoint == nil || s.Started.IsZero() {
			continue
		}
		read++
		known := map[plan.Address]bool{}
		for _, a := range s.Checkpoint.Prior {
			known[a] = true
		}
		for _, prior := range r.NotCompleted() {
			if !prior.Precedes(s) {
				break
			}
			if prior.Status == history.Failed && prior.Over.Before(s.Started) && !known[prior.Address] {
				v.Findings = append(v.Findings, Finding{Reading, Critical, s.Task, s.Address,
					fmt.Sprintf("it began without reading that %s failed", prior.Address), "report this: the controller reads it"})
			}
		}
	}
	v.Why = "the checkpoints of " + steps(read)
	return v
}

// reviewEscalation finds switches of mode without measurements, and failures
// that should have led to one. It is measured before a step begins, so what is
// reached with the last step is nobody's omission.
func reviewEscalation(p *plan.Plan, r *history.Run) Reviewed {
	v := Reviewed{Why: fmt.Sprintf("switches of mode: %d", len(r.Modes))}
	for _, m := range r.Modes {
		if m.From == plan.Dynamic && len(m.Measurements) == 0 && m.Cause == "" {
			v.Findings = append(v.Findings, Finding{Article: Escalation, Severity: Warning,
				Why: fmt.Sprintf("the mode went from %s to %s without a cause", m.From, m.To), Action: "report this: the controller measures it"})
		}
	}
	if r.Mode != plan.Dynamic {
		return v
	}
	triggers := modes.For(p, modes.Triggers(r.Policy.Triggers))
	for _, m := range modes.Fired(triggers.Measure(modes.ObserveBefore(r, lastBegun(r)))) {
		v.Findings = append(v.Findings, Finding{Article: Escalation, Severity: Warning,
			Why: fmt.Sprintf("nobody was asked although %s", m), Action: "lower the plan's thresholds, or run it in collaborative mode"})
	}
	return v
}

// lastBegun is where the last step began that did, in the journal.
func lastBegun(r *history.Run) (at uint64) {
	for _, s := range r.Steps {
		at = max(at, s.At)
	}
	return at
}

// reviewLogging looks whether each step that is over has its records.
func reviewLogging(_ *plan.Plan, r *history.Run) Reviewed {
	v, over := Reviewed{}, 0
	for _, s := range r.Steps {
		if s.Status.Over() {
			over++
			v.Findings = append(v.Findings, recorded(s)...)
		}
	}
	v.Why = fmt.Sprintf("the records of %s, in a journal that is one chain", steps(over))
	return v
}

// steps counts steps.
func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// reviewKnowledge looks whether the plan lets its notepad be kept.
func reviewKnowledge(p *plan.Plan, _ *history.Run) Reviewed {
	v := Reviewed{Why: "settings of the plan; progress log and notepad are drawn from the journal"}
	for _, s := range p.Settings {
		if s.Key == "knowledge_capture.enabled" && s.Value.Kind == "boolean" && s.Value.Text == "false" {
			v.Findings = append(v.Findings, Finding{Article: Knowledge, Severity: Warning,
				Why: "the plan says knowledge_capture.enabled = false", Action: "the notepad is drawn all the same; take the line out of the plan"})
		}
	}
	return v
}
