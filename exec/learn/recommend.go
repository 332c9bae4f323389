package learn

import (
	"slices"

	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Recommendation is what was learned from steps that do the same as a step of
// a plan that has not run, for whoever writes the plan. It changes nothing.
type Recommendation struct {
	Step   plan.Address `json:"step"`
	Entry  string       `json:"entry"` // its id in the book
	Kind   Kind         `json:"kind"`
	Does   string       `json:"does"`            // what the step does
	Cause  string       `json:"cause,omitempty"` // what steps like it failed for
	Remedy string       `json:"remedy"`          // what worked
	How    string       `json:"how,omitempty"`   // the command or the prompt of it
	Runs   int          `json:"runs"`            // how many have shown it
	Change string       `json:"change"`          // what to do about it in the plan
	// ReadyJob is the digest of the jobs that worked, where reviewers approved them;
	// Withheld says why those of this plan are not offered them.
	ReadyJob   ledger.Digest `json:"ready_job,omitempty"`
	Confidence float64       `json:"confidence,omitempty"` // of a ready job
	Withheld   string        `json:"withheld,omitempty"`
}

// Recommend says of each step of a plan, in order, what was learned from steps
// that do the same and what the plan does not have yet. Without only it is about
// all steps.
func (m Memory) Recommend(p *plan.Plan, only ...plan.Address) []Recommendation {
	var all []Recommendation
	for task, s := range p.Steps() {
		if len(only) > 0 && !slices.Contains(only, s.Address) {
			continue
		}
		does := method.Does(task, s)
		for _, e := range slices.Concat(m.Remedies, m.Procedures) {
			if e.Does == does && !has(s, e) {
				all = append(all, m.recommended(e, task, s))
			}
		}
	}
	return all
}

// has reports whether a step does already what an entry recommends.
func has(s *plan.Step, e Entry) bool {
	if e.Kind == Procedural {
		return s.Run+s.Prompt == e.Remedy
	}
	return e.How != "" && s.Run+s.Prompt == e.How || slices.ContainsFunc(s.Backups, func(b plan.Backup) bool {
		return b.Description == e.Remedy || e.How != "" && b.Run+b.Prompt == e.How
	})
}

// recommended is what an entry says of a step.
func (m Memory) recommended(e Entry, task *plan.Task, s *plan.Step) Recommendation {
	r := Recommendation{Step: s.Address, Entry: e.ID, Kind: e.Kind, Does: e.Does, Remedy: e.Remedy, How: e.How,
		Runs: e.Confirmed}
	if e.Kind != Procedural {
		r.Cause = e.Pattern
	}
	switch job := m.ready(e); {
	case job != nil:
		r.ReadyJob, r.Confidence, r.Withheld = job.Digest, job.Confidence, job.Withheld
		switch {
		case !method.Runs(task, s):
			r.Change = "leave its command to the reviewers: a prompt in place of it"
		case job.Withheld != "":
			r.Change = "propose the job anew, if it is right"
		default:
			r.Change = "run it with --learned and reviewers: they are offered it as a ready job"
		}
	case e.Kind == Procedural:
		r.Change = "compare what it does with what worked at once"
	case e.How != "":
		r.Change = "give it that as a backup"
	default:
		r.Change = "say so in its description or its prompt"
	}
	return r
}

// For is the memory of steps that do the same as a step.
func (m Memory) For(task *plan.Task, s *plan.Step) Memory {
	does := method.Does(task, s)
	others := func(e Entry) bool { return !e.about(does) }
	return Memory{Version: m.Version, Remedies: slices.DeleteFunc(slices.Clone(m.Remedies), others),
		Procedures: slices.DeleteFunc(slices.Clone(m.Procedures), others)}
}

// Waiting is how many entries in quarantine are about steps that do the same as
// steps of a plan, or as some of them.
func (b *Book) Waiting(p *plan.Plan, only ...plan.Address) int {
	all := map[string]bool{}
	for task, s := range p.Steps() {
		if len(only) == 0 || slices.Contains(only, s.Address) {
			all[method.Does(task, s)] = true
		}
	}
	n := 0
	for e := range b.Entries() {
		if e.State == Quarantined && all[e.Does] {
			n++
		}
	}
	return n
}
