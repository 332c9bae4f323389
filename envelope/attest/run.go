package attest

import (
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A ranRun is the predicate of [Run]. docs/attestations.md describes it.
type ranRun struct {
	Run       string         `json:"run"`
	Name      string         `json:"name,omitempty"`
	Goal      string         `json:"goal"`
	Status    history.Status `json:"status"`
	Reasons   []string       `json:"reasons,omitempty"`
	StartedOn time.Time      `json:"startedOn"`
	EndedOn   time.Time      `json:"endedOn"`
	Version   string         `json:"planlockVersion,omitempty"`

	Plan     boundPlan     `json:"plan"`
	Lock     boundLock     `json:"lock"`
	Envelope boundEnvelope `json:"envelope"`
	Finishes *finished     `json:"finishes,omitempty"`

	BaseTree ledger.Digest `json:"baseTree"`
	Tree     ledger.Digest `json:"tree"`
	Commit   string        `json:"gitCommit,omitempty"` // that was checked out at its beginning
	Journal  journal       `json:"journal"`

	Isolated  bool `json:"isolated,omitempty"`
	Shadow    bool `json:"shadow,omitempty"`
	NoSandbox bool `json:"noSandbox,omitempty"`

	Steps      []ranStep    `json:"steps"`
	Completion []judgement  `json:"completion,omitempty"` // gates at the end
	Amendments []amendment  `json:"amendments,omitempty"`
	Answers    []answer     `json:"answers,omitempty"`
	Accepted   []acceptance `json:"acceptedMoves,omitempty"`
	RolledBack []setback    `json:"rolledBack,omitempty"`
}

type boundPlan struct {
	Digest  ledger.Digest `json:"digest"`
	Format  plan.Format   `json:"format"`
	Profile plan.Profile  `json:"profile"`
	Files   []plan.Source `json:"files,omitempty"`
}

type boundLock struct {
	ID           string        `json:"id"`
	Digest       ledger.Digest `json:"digest,omitempty"`
	Acknowledged []string      `json:"acknowledged,omitempty"`
}

type boundEnvelope struct {
	Digest     ledger.Digest        `json:"digest"`
	Components []envelope.Component `json:"components"`
}

// A finished is the run that another one finishes.
type finished struct {
	Run  string      `json:"run"`
	Head record.Head `json:"head"`
}

type journal struct {
	Records uint64        `json:"records"`
	Head    ledger.Digest `json:"head"`
	Signer  record.Key    `json:"signer,omitempty"`
}

type ranStep struct {
	Step     plan.Address       `json:"step"`
	Task     string             `json:"task"`
	Title    string             `json:"title"`
	Status   history.StepStatus `json:"status"`
	Basis    history.Basis      `json:"basis,omitempty"`
	Why      string             `json:"why,omitempty"` // the basis
	Critical bool               `json:"critical,omitempty"`
	Rollback plan.Rollback      `json:"rollback,omitempty"`
	Attempts int                `json:"attempts"`
	Method   string             `json:"method,omitempty"`
	Executor string             `json:"executor,omitempty"`
	Identity string             `json:"identity,omitempty"`
	Inputs   ledger.Digest      `json:"inputs,omitempty"`
	Before   ledger.Digest      `json:"treeBefore,omitempty"`
	After    ledger.Digest      `json:"treeAfter,omitempty"`
	Changes  []change           `json:"changes,omitempty"`
	Total    int                `json:"changesTotal,omitempty"` // where not all are listed
	Gates    []judgement        `json:"gates,omitempty"`
	From     string             `json:"carriedFrom,omitempty"` // the run that carried it out
	Settled  string             `json:"settledBy,omitempty"`
}

type change struct {
	Path   string        `json:"path"`
	Change ledger.Op     `json:"change"`
	Before ledger.Digest `json:"before,omitempty"`
	After  ledger.Digest `json:"after,omitempty"`
}

type judgement struct {
	Gate   string `json:"gate"`
	Phase  string `json:"phase"`
	Result string `json:"result"` // pass, partial, fail, tolerated, undecided
}

type amendment struct {
	Number       int            `json:"number"`
	Plan         ledger.Digest  `json:"plan"`
	Lock         string         `json:"lock"`
	Added        []plan.Address `json:"added"`
	Acknowledged []string       `json:"acknowledged,omitempty"`
	By           string         `json:"by,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	Digest       ledger.Digest  `json:"digest"`
}

// An answer is a question that somebody answered.
type answer struct {
	Question     string       `json:"question"`
	Step         plan.Address `json:"step,omitempty"`
	Kind         string       `json:"kind"`
	What         string       `json:"what"`
	Choice       string       `json:"choice"`
	Label        string       `json:"label,omitempty"` // of the choice
	Acknowledged string       `json:"acknowledged,omitempty"`
	Reason       string       `json:"reason,omitempty"`
	By           string       `json:"by"`
	At           time.Time    `json:"at"`
}

type acceptance struct {
	By    string   `json:"by"`
	Moved []string `json:"moved"`
}

type setback struct {
	To     plan.Address `json:"to"`
	By     string       `json:"by,omitempty"`
	Reason string       `json:"reason,omitempty"`
}

// runOf is all that is to be known of a run.
func runOf(r *history.Run) *ranRun {
	s := &r.Started
	p := &ranRun{
		Run: s.Run, Name: s.Name, Goal: s.Goal, Status: r.Status, StartedOn: r.Begun.UTC(), EndedOn: r.Over.UTC(),
		Version:  s.Version,
		Plan:     boundPlan{s.Plan, s.Format, s.Profile, s.Files},
		Lock:     boundLock{s.Lock, s.LockDigest, s.Acknowledged},
		BaseTree: s.Base.Tree, Tree: r.Tree.Tree, Commit: s.Commit,
		Journal:  journal{r.Head.Seq, r.Head.Hash, r.Signed.Key},
		Isolated: s.Isolated, Shadow: s.Shadow, NoSandbox: s.NoSandbox,
		Completion: judgements(r.Final),
	}
	for _, e := range r.Exchanges {
		p.Answers = append(p.Answers, answersTo([]history.Exchange{*e})...)
	}
	if r.Ended != nil {
		p.Reasons = r.Ended.Reasons
	}
	if s.Envelope != nil {
		p.Envelope = boundEnvelope{s.Envelope.Digest(), s.Envelope.Components}
	}
	if from := s.From; from != nil {
		p.Finishes = &finished{from.Run, from.Head}
	}
	standings := r.Standings()
	for _, step := range r.Steps {
		p.Steps = append(p.Steps, stepOf(step, standings))
		p.Answers = append(p.Answers, answersTo(step.Earlier)...)
		p.Answers = append(p.Answers, answersTo(step.Questions)...)
	}
	for _, a := range r.Amendments {
		p.Amendments = append(p.Amendments, amendment{a.Number, a.Plan, a.Lock, a.Added, a.Acknowledged, a.By, a.Reason,
			a.Digest})
	}
	for _, m := range r.Moves {
		p.Accepted = append(p.Accepted, acceptance{m.By, m.Moved})
	}
	for _, b := range r.RolledBack {
		p.RolledBack = append(p.RolledBack, setback{b.To, b.By, b.Reason})
	}
	return p
}

// stepOf is what a step did, and what its word rests on.
func stepOf(s *history.Step, standings *history.Standings) ranStep {
	basis, why := standings.Of(s)
	ran := ranStep{Step: s.Address, Task: s.Task, Title: s.Title, Status: s.Stands(), Basis: basis, Why: why,
		Critical: s.Critical, Rollback: s.Rollback, Attempts: len(s.Undone) + len(s.Attempts), Settled: s.SettledBy(),
		Gates: judgements(s.Gates)}
	if last := s.Last(); last != nil {
		ran.Method, ran.Executor, ran.Identity = last.Method.Method, last.Method.Executor, last.Method.Identity
		ran.Inputs = last.Method.Inputs
		ran.Gates = append(ran.Gates, judgements(last.Gates)...)
	}
	if c := s.Carried; c != nil {
		ran.From, ran.Method, ran.Identity = c.Run, c.Method, c.Identity
	}
	if !wasAccepted(s) {
		return ran
	}
	ran.Before = s.BeganWith().Tree
	if s.Completed != nil {
		ran.After = s.Completed.Snapshot.Tree
	}
	if c := s.Carried; c != nil {
		ran.Before, ran.After = c.Base.Tree, c.Snapshot.Tree
	}
	account := s.Account()
	if account == nil {
		return ran
	}
	ran.Total = account.Total
	for _, ch := range account.Changes {
		c := change{Path: ledger.Quote(ch.Path), Change: ch.Op}
		if ch.Before != nil {
			c.Before = ch.Before.Digest
		}
		if ch.After != nil {
			c.After = ch.After.Digest
		}
		ran.Changes = append(ran.Changes, c)
	}
	return ran
}

// answersTo are those of some questions that somebody answered.
func answersTo(exchanges []history.Exchange) (all []answer) {
	for _, e := range exchanges {
		a := e.Answer
		if a == nil {
			continue
		}
		chosen, _ := e.Question.Choice(a.Choice)
		all = append(all, answer{a.Question, e.Question.Step, string(e.Question.Kind), e.Question.What, a.Choice,
			chosen.Label, a.Acknowledged, a.Reason, a.By, a.At.UTC()})
	}
	return all
}

// judgements are those of gates that had something to judge.
func judgements(list []gate.Judgement) (all []judgement) {
	for _, j := range list {
		if j.Judged() {
			all = append(all, judgement{j.Gate, string(j.Phase), result(j)})
		}
	}
	return all
}

// What a gate came to besides what verdicts say.
const (
	tolerated = "tolerated" // it says no, and the plan allows it
	undecided = "undecided"
)

// result is what a gate came to in one word.
func result(j gate.Judgement) string {
	switch {
	case j.Verdict == nil:
		return undecided
	case j.Verdict.Result != gate.Passed && j.Verdict.Tolerated:
		return tolerated
	}
	return string(j.Verdict.Result)
}
