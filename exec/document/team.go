package document

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// A team is who takes part in a run that has reviewers.
type team struct {
	Schema    string          `json:"schema"`
	Run       string          `json:"run_id"`
	Created   stamp           `json:"created_at"` // when the run began, and each agent was bound to it
	Isolation string          `json:"isolation"`  // of all commands
	Env       []string        `json:"env_keys"`   // variables of the host that the plan lets in
	Evidence  bool            `json:"evidence"`   // it is looked for
	MLflow    bool            `json:"mlflow"`     // a tracking server is asked
	Models    []model         `json:"models"`     // that the envelope names
	Agents    []agent         `json:"agents"`
	Moves     []movesAccepted `json:"moves,omitempty"` // of the envelope, since
}

// A model is one that the envelope of a run names.
type model struct {
	Name   string        `json:"name"`
	Digest ledger.Digest `json:"digest"`
}

// An agent takes part in a run.
type agent struct {
	Name        string        `json:"name"`
	Role        string        `json:"role"` // reviewer, executor, advisor, validator
	Duty        string        `json:"responsibilities"`
	Interface   string        `json:"interface"`
	Memory      string        `json:"memory_mode"`
	Permissions string        `json:"permissions"`
	Contract    []string      `json:"output_contract"`
	Version     *string       `json:"version"`
	Digest      ledger.Digest `json:"digest,omitempty"` // of what the run is bound to

	status agentStatus
}

// An agentStatus is what somebody has done in a run.
type agentStatus struct {
	Asked    int // drafts, attempts, questions for advice, or judgements
	Good     int // that were approved, accepted, given, or passed
	Bad      int // that were not; of advice: its patch was refused
	Silent   int // without a contract, advice, a verdict or an end
	Critical int // flags
	Warnings int
	Latest   string
	at       time.Time // of the latest
}

// told notes an answer.
func (s *agentStatus) told(at time.Time, latest string, answered, good bool) {
	s.Asked++
	if !at.Before(s.at) {
		s.Latest, s.at = latest, at
	}
	switch {
	case !answered:
		s.Silent++
	case good:
		s.Good++
	default:
		s.Bad++
	}
}

// A flag is what a reviewer holds against a draft that stands.
type flag struct {
	Task, Reviewer, Level, Text string
}

// flagged are the flags of the contracts that stand, in the order of drafts.
func flagged(rep *Model) (all []flag) {
	for _, i := range rep.plan.ByUrgency() {
		task := rep.plan.Tasks[i].ID
		a := rep.of.Task(task).Approval()
		if a == nil {
			continue
		}
		for _, r := range reviewsOf(rep.of, a) {
			for _, text := range r.Critical {
				all = append(all, flag{task, r.Reviewer, "critical", text})
			}
			for _, text := range r.Warnings {
				all = append(all, flag{task, r.Reviewer, "warning", text})
			}
		}
	}
	return all
}

// held are the drafts that did not pass although their reviewers approved them,
// those too that were undone.
func held(r *history.Run) []history.Approval {
	return only(r.Approvals, func(a history.Approval) bool { return a.Held() })
}

// ofRole are the agents of a role.
func (t team) ofRole(role string) []agent {
	return only(t.Agents, func(a agent) bool { return a.Role == role })
}

// workReview is how the gates of validators are called.
const workReview = "work-review-"

// newTeam describes who takes part, reviewers first.
func newTeam(rep *Model) team {
	r := rep.of
	t := team{Schema: "planlock.team/1", Run: rep.Run, Created: rep.Started, Env: list(rep.plan.Sandbox.Env),
		Evidence: r.Roles.Evidence, MLflow: r.Roles.Tracker, Models: []model{}, Agents: []agent{}, Moves: rep.Moves}
	for _, c := range rep.Envelope.Components {
		switch name, is := strings.CutPrefix(c.Name, "model "); {
		case c.Name == "isolation":
			t.Isolation = c.Text
		case is:
			t.Models = append(t.Models, model{name, c.Digest})
		}
	}
	memory := "short-term"
	if componentOf(rep, "memory") != nil {
		memory = "long-term"
	}
	add := func(a agent, known string, status agentStatus) {
		if c := componentOf(rep, known); c != nil {
			a.Version, a.Digest = orNull(c.Text), c.Digest
		}
		a.status = status
		t.Agents = append(t.Agents, a)
	}
	for _, name := range r.Roles.Reviewers {
		add(agent{Name: name, Role: "reviewer",
			Duty:      "looks at each task before its first step, approves it or does not, and proposes jobs",
			Interface: "planlock.review/1", Memory: memory,
			Permissions: "reads the workspace; what it writes vanishes with its overlay, " +
				"or is undone and rejects the task where it has none",
			Contract: []string{"verdict", "flags.critical", "flags.warnings", "checks", "proposed_jobs"}},
			"reviewer "+name, reviewerStatus(r, name))
	}
	for _, key := range executors(rep) {
		name := cmp.Or(key, r.Started.Executor, "default")
		a := agent{Name: name, Role: "executor", Duty: "carries out steps", Interface: "planlock.execute/1",
			Memory:      memory,
			Permissions: "changes what a step declares; a step that changes anything else fails, and is undone",
			Contract:    []string{}}
		if rep.plan.Profile.Records() {
			a.Permissions = "changes the workspace; what changes is recorded, and undone where the step fails"
		}
		if slices.Contains(r.Roles.Deaf, key) || !slices.Contains(r.Roles.Executors, key) {
			a.Interface, a.Memory = "a shell command", "none"
		}
		add(a, "executor "+name, executorStatus(rep, key, name))
	}
	for _, kind := range r.Roles.Advisors {
		told := "short-term"
		if c := componentOf(rep, "advisor "+kind); c != nil && strings.HasPrefix(c.Text, history.MemoryVersion) {
			told = "long-term"
		}
		add(agent{Name: kind, Role: "advisor", Duty: adviceDuty(kind), Interface: "planlock.advise/1", Memory: told,
			Permissions: "proposes; decides nothing, and changes nothing", Contract: []string{}},
			"advisor "+kind, advisorStatus(r, kind))
	}
	for _, gate := range r.Roles.Gates {
		if name, is := strings.CutPrefix(gate, workReview); is {
			add(agent{Name: name, Role: "validator",
				Duty: "looks at what was done when the last step of a task is over", Interface: "planlock.validate/1",
				Memory: "short-term", Permissions: "reads the workspace; what it writes vanishes, or fails the step",
				Contract: []string{"verdict", "criteria", "findings"}}, "gate "+gate, validatorStatus(rep, gate))
		}
	}
	return t
}

// executors are the keys of all who carry out steps: those that the plan needs, and
// whoever carried out an attempt besides, as the shell does with approved jobs.
func executors(rep *Model) []string {
	all := slices.Clone(rep.of.Roles.Executors)
	known := func(name string) bool {
		return slices.ContainsFunc(all, func(key string) bool {
			return name == key || name == cmp.Or(key, rep.of.Started.Executor, "default")
		})
	}
	for _, s := range rep.steps {
		for _, a := range s.Attempts {
			if !known(a.Executor) {
				all = append(all, a.Executor)
			}
		}
	}
	return all
}

// componentOf is what the run is bound to of an agent, or nil.
func componentOf(rep *Model, name string) *envelope.Component {
	for i := range rep.Envelope.Components {
		if rep.Envelope.Components[i].Name == "agent:"+name {
			return &rep.Envelope.Components[i]
		}
	}
	return nil
}

// adviceDuty is what an advisor of a kind is for.
func adviceDuty(kind string) string {
	switch kind {
	case "research":
		return "finds out what should be known before a task, or before it is tried another way"
	case "reflection":
		return "finds why something failed, and proposes a patch"
	case "pivot":
		return "proposes another approach after a failure"
	case "feasibility":
		return "weighs a plan that was made from a pattern"
	}
	return "gives advice"
}

// reviewerStatus is what a reviewer said of drafts, those too that were undone.
func reviewerStatus(r *history.Run, name string) (s agentStatus) {
	for i := range r.Approvals {
		for _, said := range r.Approvals[i].Reviews {
			if said.Reviewer != name {
				continue
			}
			s.told(r.Approvals[i].Decided, "task "+r.Approvals[i].Task+": "+cmp.Or(said.Verdict, "no verdict"),
				said.Error == "" && len(said.Faults) == 0, len(said.Objections()) == 0)
			s.Critical += len(said.Critical)
			s.Warnings += len(said.Warnings)
		}
	}
	return s
}

// executorStatus is what became of the attempts of an executor, those too that
// were undone.
func executorStatus(rep *Model, key, name string) (s agentStatus) {
	for _, step := range rep.steps {
		for _, a := range step.Attempts {
			if a.Executor == key || a.Executor == name {
				s.told(a.Started.Time, string(step.Address)+": "+a.Outcome,
					a.Outcome == accepted || a.Outcome == failed, a.Outcome == accepted)
			}
		}
	}
	return s
}

// advisorStatus is what came of the advice of a kind.
func advisorStatus(r *history.Run, kind string) (s agentStatus) {
	for _, step := range r.Steps {
		for _, a := range step.Advised {
			if a.Kind != kind {
				continue
			}
			patch := step.Patch(a.Patch)
			s.told(a.At, string(step.Address)+": "+cmp.Or(a.Error, a.Note, a.RootCause), a.Error == "" && !a.Nothing,
				patch == nil || !patch.Refused)
		}
	}
	return s
}

// validatorStatus is what a validator said of work.
func validatorStatus(rep *Model, gate string) (s agentStatus) {
	for _, step := range rep.of.Steps {
		for _, a := range slices.Concat(step.Undone, step.Attempts) {
			for _, j := range a.Gates {
				switch {
				case j.Gate != gate:
				case j.Verdict == nil:
					s.told(a.Started, string(step.Address)+": "+strings.Join(j.Reasons(), "; "), false, false)
				default:
					s.told(a.Started, string(step.Address)+": "+string(j.Verdict.Result), true, j.Passes())
				}
			}
		}
	}
	return s
}

// executors are those who carried steps out; who would, where nobody has yet.
func (m *Model) executors() []string {
	var all []string
	for _, s := range m.steps {
		for _, a := range s.Attempts {
			if name := cmp.Or(a.Executor, m.Executor); name != "" && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	if all == nil && m.Executor != "" {
		return []string{m.Executor}
	}
	return all
}
