package analysis

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// A Recommendation names what to change in the plan before it is run again.
type Recommendation struct {
	About  string       `json:"about"` // "critical flag", "backup", "mode", "structure", "balance"
	Task   string       `json:"task_id,omitempty"`
	Step   plan.Address `json:"step,omitempty"`
	Change string       `json:"change"`
	Why    string       `json:"why"`
}

// Text is the recommendation as one line.
func (r Recommendation) Text() string {
	where := ""
	switch {
	case r.Step != "":
		where = "step " + string(r.Step) + ": "
	case r.Task != "":
		where = "task " + r.Task + ": "
	}
	return where + r.Change + " (" + r.Why + ")"
}

// Figures of the recommendations.
const (
	worthSplitting = 4 // steps of a task, more than half of which failed
	raiseAfter     = 2 // times that the same trigger led to an escalation
	provenBackup   = 2 // steps in which a backup always helped
)

// recommend says what to change in the plan: first step by step, in its order,
// then about backups, modes, tasks and the balance of the whole. Nothing is
// recommended that the run did not show.
func recommend(p *plan.Plan, r *history.Run, a Analysis) []Recommendation {
	var all []Recommendation
	flagged := saysFlags(p, r)
	for _, row := range rows(p, r) {
		if flagged {
			all = append(all, row.flags(r)...)
		}
		all = append(all, row.methods()...)
	}
	for _, u := range a.Backups.Used {
		if len(u.Steps) >= provenBackup && u.Rate.N == u.Rate.Of {
			all = append(all, Recommendation{About: "backup",
				Change: fmt.Sprintf("use %q first wherever it is a backup", u.Description),
				Why:    fmt.Sprintf("it helped in all of %d steps", len(u.Steps))})
		}
	}
	for _, t := range a.Escalations.Triggers {
		if t.N >= raiseAfter {
			all = append(all, Recommendation{About: "mode", Change: "look at what these steps have in common, or raise the threshold by one",
				Why: fmt.Sprintf("%s led to %d escalations", t.What, t.N)})
		}
	}
	for _, t := range a.Failures.Tasks {
		if t.Rate.Of >= worthSplitting && 2*t.Rate.N > t.Rate.Of {
			all = append(all, Recommendation{About: "structure", Task: t.Task, Change: "break it into smaller tasks",
				Why: fmt.Sprintf("%d of its %d steps failed", t.Rate.N, t.Rate.Of)})
		}
	}
	if b := a.Compliance.Balance; flagged && b.Total > 1 && !b.Recommended() {
		all = append(all, Recommendation{About: "balance", Change: "mark between 40 and 60 percent of the steps as critical",
			Why: fmt.Sprintf("now %d of %d", b.Critical, b.Total)})
	}
	return all
}

// saysFlags reports whether a plan says which steps are critical, or could: only
// such a plan can be told to say otherwise.
func saysFlags(p *plan.Plan, r *history.Run) bool {
	return r.Started.Format != plan.PhasePlan && r.Started.Format != plan.PendingActions ||
		slices.ContainsFunc(p.Tasks, func(t plan.Task) bool {
			return slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Critical != nil })
		})
}

// flags compares critical flags with what happened.
func (row rowOf) flags(r *history.Run) []Recommendation {
	s := row.was
	failed := s.Status == history.Failed || s.Status == history.Skipped && s.Skipped != nil && !s.Skipped.Done
	if !failed {
		return nil
	}
	held := false
	for _, other := range r.Steps {
		held = held || other.Blocked != nil && other.Blocked.By == s.Address
	}
	over := r.Ended != nil && r.Ended.Status != history.NotAchieved
	switch {
	case s.Critical && s.Status == history.Failed && over && !held: // leaving it out says nothing of its flag
		return []Recommendation{{About: "critical flag", Task: s.Task, Step: s.Address, Change: "mark it as not critical",
			Why: fmt.Sprintf("it %s, nothing was blocked by that, and the run ended %s", was(s), r.Ended.Status)}}
	case !s.Critical:
		if how := row.followers(r); how != "" {
			return []Recommendation{{About: "critical flag", Task: s.Task, Step: s.Address, Change: "mark it as critical",
				Why: fmt.Sprintf("it %s, and what followed in its task %s", was(s), how)}}
		}
	}
	return nil
}

// was is what became of a step that was not completed, in a word.
func was(s *history.Step) string {
	if s.Status == history.Skipped {
		return "was left out"
	}
	return "failed"
}

// followers is what became of every step after this one in its task, where each
// of them failed or was blocked by that; "" where one was not, or there is none.
func (row rowOf) followers(r *history.Run) (how string) {
	after, lost := false, map[plan.Address]bool{row.was.Address: true}
	for _, s := range r.Steps {
		if after && s.Task == row.was.Task {
			switch {
			case s.Status == history.Blocked && s.Blocked != nil && lost[s.Blocked.By]:
				how = "failed or was blocked"
			case s.Status != history.Failed:
				return ""
			case how == "":
				how = "failed, too"
			}
			lost[s.Address] = true
		}
		after = after || s == row.was
	}
	return how
}

// Decisive is what a person said that the attempt which completed the step was the
// first to hear, where what was tried without had failed: the words are what
// helped, also where the step was set back before it heard them. "" where there
// were none, the step was completed at once, or a shell carried it out, which hears
// nothing.
func Decisive(r *history.Run, s *history.Step) (by, words string) {
	last := s.Last()
	if s.Status != history.Completed || last == nil || !r.Told(last) || !slices.ContainsFunc(attempts(s), (*history.Attempt).Faulty) {
		return "", ""
	}
	for _, x := range slices.Concat(s.Earlier, s.Questions) {
		if a := x.Answer; a != nil && a.Reason != "" && x.Question.Attempt == last.Number-1 &&
			(a.Choice == choice.Propose || a.Choice == choice.Again || a.Choice == choice.Continue) {
			by, words = a.By, a.Reason
		}
	}
	return by, words
}

// methods compares the methods of a step with what became of them.
func (row rowOf) methods() []Recommendation {
	failed := map[string]bool{}
	for _, a := range attempts(row.was) {
		if a.Faulty() {
			failed[a.Method.Method] = true
		}
	}
	r := Recommendation{About: "backup", Task: row.was.Task, Step: row.was.Address}
	tried := 0
	for _, b := range row.step.Backups {
		if failed["backup_"+b.ID] {
			tried++
		}
	}
	before := 0 // backups that failed before the one in hand
	by, words := Decisive(row.run, row.was)
	lost := row.was.Status == history.Failed || row.was.FailedAndLeftOut()
	switch {
	case words != "":
		r.Change, r.Why = fmt.Sprintf("write into its methods what %s said: %s", by, words), "what was tried before failed, and what heard it did it"
		return []Recommendation{r}
	case row.was.Status == history.Completed && failed["primary"]:
		for i, b := range row.step.Backups {
			if "backup_"+b.ID != row.was.Completed.Method {
				if failed["backup_"+b.ID] {
					before++
				}
				continue
			}
			if row.step.SameAgain(&b) {
				return nil // it did the same again
			}
			r.Change, r.Why = fmt.Sprintf("make backup %s the primary method: %s", b.ID, b.Description), "the primary method failed and this one did it"
			all := []Recommendation{r}
			if i > 0 && before > 0 {
				r.Change, r.Why = fmt.Sprintf("put backup %s before those that failed", b.ID), fmt.Sprintf("%d before it failed", before)
				all = append(all, r)
			}
			return all
		}
	case lost && tried > 0 && tried == len(row.step.Backups):
		r.Change, r.Why = "find another way", fmt.Sprintf("its primary method and all %d backups failed", tried)
		if tried == 1 {
			r.Why = "its primary method and its only backup failed"
		}
		return []Recommendation{r}
	case lost && len(row.step.Backups) == 0 && row.was.Critical && len(failed) > 0: // where the step may not begin, no backup may
		r.Change, r.Why = "give it a backup", "it is critical, failed, and had none"
		if !row.run.Started.Format.HasBackups() {
			r.Change, r.Why = "say in its task how else it can be done", "it failed, and no step of such a plan can have a backup"
		}
		return []Recommendation{r}
	}
	return nil
}
