package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
)

// An Answer to one of the ten questions of the self-check.
type Answer struct {
	Question string   `json:"question"` // stable code, as in "every-step-executable"
	Text     string   `json:"text"`     // the question in words
	Yes      bool     `json:"answer"`
	Evidence []string `json:"evidence,omitempty"` // what was counted, or what speaks against it
}

// A question is answered "no" by any diagnostic with one of its codes.
type question struct {
	code, text string
	against    []string
	counted    func(*Plan, CheckOptions) string
	asked      func(*Plan) bool // false: this profile records instead; nil: always asked
	// the step has no answer, also where what it says could not be read; nil:
	// no step has to have one
	lacks func(*Step) bool
	mute  func(*Plan) bool // the plan says nothing of it as a whole; nil: that is a matter of its steps
}

// strictly reports whether a plan has to say everything; under the other
// profiles, what is not said is recorded.
func strictly(p *Plan) bool { return !p.Profile.Records() }

var questions = []question{
	{"every-step-executable", "Can every step be carried out?",
		[]string{"no-tasks", "no-steps", "method-missing", "method-twice", "command-hidden", "id-missing",
			"id-invalid", "task-duplicate-id",
			"step-duplicate-id", "address-ambiguous", "task-cycle", "speclet-cycle", "order-cycle",
			"task-dep-unknown", "speclet-dep-unknown"},
		func(p *Plan, _ CheckOptions) string {
			return count(p.stepCount(), "step") + " with a method and a place in the order"
		}, nil, nil, nil},
	{"requirements-mapped", "Is every requirement served by a step, and does every step serve one?",
		[]string{"requirement-unmapped", "requirement-unknown", "step-no-requirement", "requirement-duplicate-id"},
		func(p *Plan, _ CheckOptions) string {
			counted := count(len(p.Requirements), "requirement") + ", each served"
			if n := p.unasked(); n > 0 && !strictly(p) {
				counted += fmt.Sprintf("; %s for none (profile %s)", count(n, "step"), p.Profile)
			}
			return counted
		}, nil,
		func(s *Step) bool { return len(s.Requirements) == 0 }, nil},
	{"scope-declared", "Does every step declare what it changes, and keep off what is not its own?",
		[]string{"artifacts-missing", "limits-missing", "limits-too-small", "path-invalid", "path-reserved",
			"path-unportable", "path-lookalike", "artifact-in-non-goal", "artifact-conflict",
			"artifact-outside-modules", "envelope-modified", "log-path-invalid",
			"too-complex"},
		func(p *Plan, _ CheckOptions) string { return p.held() }, nil,
		func(s *Step) bool { return s.Artifacts == nil || s.changesFiles() && !bounded(s.Limits) }, nil},
	{"rollback-defined", "Is it defined for every step how it is undone?",
		[]string{"rollback-missing", "compensate-missing"},
		func(p *Plan, _ CheckOptions) string {
			return count(p.classedCount(), "step") + " with a rollback class"
		},
		strictly,
		func(s *Step) bool { return s.Rollback == "" }, nil},
	{"public-surfaces-specified", "Is it specified how every public symbol that changes behaves?",
		[]string{"public-surface-unspecified", "symbol-invalid", "surface-no-symbol", "surface-twice", "surface-incomplete",
			"surface-missing"},
		func(p *Plan, _ CheckOptions) string {
			counted := count(p.publicCount(), "public symbol") + " declared to be added or removed"
			if n := p.redefining(); n > 0 {
				counted += ", " + count(n, "step") + " that may change some in place"
			}
			if p.Surfaces != nil {
				counted += ", " + count(len(p.Surfaces), "surface")
			}
			return counted
		}, strictly, nil, nil},
	{"non-goals-declared", "Does the plan say what must not be touched?",
		[]string{"non-goals-undeclared", "non-goal-duplicate-id"},
		func(p *Plan, _ CheckOptions) string { return count(len(p.NonGoals), "non-goal") }, strictly, nil,
		func(p *Plan) bool { return len(p.NonGoals) == 0 }},
	{"invariants-defined", "Are there invariants for the public surfaces that change?",
		[]string{"invariants-undeclared", "invariant-duplicate-id"},
		func(p *Plan, _ CheckOptions) string { return count(len(p.Invariants), "invariant") }, strictly, nil,
		func(p *Plan) bool { return len(p.Invariants) == 0 }},
	{"semantic-changes-classified", "Does every step that changes files say what that does to behaviour?",
		[]string{"semantic-change-missing"},
		func(p *Plan, _ CheckOptions) string {
			n := 0
			for _, s := range p.Steps() {
				if s.SemanticChange == Modifying || s.SemanticChange == Breaking {
					n++
				}
			}
			return count(n, "step") + " modifying or breaking"
		}, strictly,
		func(s *Step) bool { return s.changesFiles() && s.SemanticChange == "" }, nil},
	{"gates-and-agents-consistent", "Do gates, executors and checks fit together?",
		[]string{"executor-unknown", "check-kind-missing", "check-kind-unknown", "check-argument-missing", "check-argument-unknown", "regexp-invalid",
			"gate-argument-invalid", "gate-argument-unknown", "gate-name-missing", "gate-twice", "gate-unknown", "fixed-by-missing", "fixed-by-unknown", "fixed-by-not-later", "invariant-unknown", "postcondition-contradicts", "supersedes-unknown", "supersedes-not-earlier", "test-intent-no-test", "speclet-task-unknown", "task-in-several-speclets"},
		func(_ *Plan, o CheckOptions) string {
			if o.Executors == nil {
				return "executors are those of the host that runs it"
			}
			return count(len(o.Executors), "executor") + " known"
		}, nil, nil, nil},
	{"design-gates-passed", "Did the planning gates of level 2 pass?",
		[]string{"approval-failed"},
		func(_ *Plan, o CheckOptions) string {
			if len(o.Approvals) == 0 {
				return "no planning gate of level 2 has been asked yet; they are asked when it is locked"
			}
			said := make([]string, len(o.Approvals))
			for i, a := range o.Approvals {
				said[i] = fmt.Sprintf("%s (level %d) said %s", a.Gate, a.Level, a.Verdict)
			}
			return "when it was locked: " + strings.Join(said, ", ")
		}, nil, nil, nil},
}

// unasked counts the steps that serve no requirement of a plan that has some.
func (p *Plan) unasked() (n int) {
	for _, s := range p.Steps() {
		if len(p.Requirements) > 0 && len(s.Requirements) == 0 {
			n++
		}
	}
	return n
}

// SelfCheck answers the ten questions before execution. A question is answered
// "no" exactly where [Draft.Check] has an error that concerns it, so that the
// two agree. A draft that could not be read to its end gets a "no" to all.
func (d *Draft) SelfCheck(o CheckOptions) []Answer { return d.answers(d.Check(o), o) }

// answers is [Draft.SelfCheck] for diagnostics that were found already, so
// that a lock does not check twice.
func (d *Draft) answers(found []Diagnostic, o CheckOptions) []Answer {
	against := map[string][]Diagnostic{}
	for _, f := range found {
		if f.Code == cannotRun { // of other formats: an answer to the first question
			against["no-steps"] = append(against["no-steps"], f)
		}
		if f.Severity == Error {
			against[f.Code] = append(against[f.Code], f)
		}
	}
	list := make([]Answer, len(questions))
	for i, q := range questions {
		list[i] = q.answer(d, against, o)
	}
	return list
}

// maxEvidence bounds what is told against one question.
const maxEvidence = 5

// answer answers one question: "no" with the errors that speak against it, or
// "yes" with what was counted. A step whose words could not be read has no
// answer, and so the question has none, even where nothing else speaks against
// it.
func (q question) answer(d *Draft, against map[string][]Diagnostic, o CheckOptions) Answer {
	a := Answer{Question: q.code, Text: q.text, Yes: true}
	if d.broken {
		a.Yes, a.Evidence = false, []string{"the plan could not be read"}
		return a
	}
	var no []Diagnostic
	for _, code := range q.against {
		no = append(no, against[code]...)
	}
	switch {
	case len(no) > 0:
		a.Yes = false
		a.Evidence = evidenceOf(sortDiagnostics(no))
	case q.asked != nil && !q.asked(&d.Plan):
		a.Evidence = []string{fmt.Sprintf("recorded instead (profile %s)", d.Plan.Profile)}
	default:
		a.Evidence = []string{q.counted(&d.Plan, o)}
		if steps := d.lacking(q.lacks); len(steps) > 0 {
			a.Yes, a.Evidence = false, []string{fmt.Sprintf("it could not be read for %s, the first is %s",
				count(len(steps), "step"), safetext.Escape(string(steps[0])))}
		} else if q.unsaid(d) {
			a.Evidence[0] += "; the plan does not say it, and a plan of its format need not"
		}
	}
	return a
}

// unsaid reports whether a plan of another format has no answer where one of the
// native format has to have one.
func (q question) unsaid(d *Draft) bool {
	if !d.foreign() || !strictly(&d.Plan) {
		return false
	}
	return q.mute != nil && q.mute(&d.Plan) || len(d.without(q.lacks)) > 0
}

// evidenceOf names the first of what speaks against an answer.
func evidenceOf(no []Diagnostic) []string {
	var list []string
	for _, f := range no[:min(len(no), maxEvidence)] {
		list = append(list, fmt.Sprintf("%s:%d: %s [%s]", safetext.Escape(f.Pos.File), f.Pos.Line,
			safetext.Escape(f.Message), f.Code))
	}
	if more := len(no) - maxEvidence; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// EverythingElse answers for all rules that none of the ten questions asks
// about: "no" where one of them is broken by an error of found, which is what
// [Draft.Check] returned. Ten times yes and this are what a plan that holds
// needs.
func EverythingElse(found []Diagnostic) Answer {
	var no []Diagnostic
	for _, f := range found {
		if f.Severity == Error && !slices.ContainsFunc(questions,
			func(q question) bool { return slices.Contains(q.against, f.Code) }) {
			no = append(no, f)
		}
	}
	return Answer{Question: "everything-else", Text: "Does everything else hold?", Yes: len(no) == 0,
		Evidence: evidenceOf(no)}
}

// lacking are the addresses of the steps of which lacks is true, where the plan
// has to say what they lack.
func (d *Draft) lacking(lacks func(*Step) bool) []Address {
	if !strictly(&d.Plan) || d.foreign() {
		return nil
	}
	return d.without(lacks)
}

// without are the addresses of the steps of which lacks is true; none where it is nil.
func (d *Draft) without(lacks func(*Step) bool) (list []Address) {
	if lacks == nil {
		return nil
	}
	for _, s := range d.Plan.Steps() {
		if lacks(s) {
			list = append(list, s.Address)
		}
	}
	return list
}

// stepCount is the number of all steps.
func (p *Plan) stepCount() int {
	n := 0
	for _, t := range p.Tasks {
		n += len(t.Steps)
	}
	return n
}

// classedCount is the number of steps that say how they are undone.
func (p *Plan) classedCount() (n int) {
	for _, s := range p.Steps() {
		if s.Rollback != "" {
			n++
		}
	}
	return n
}

// held says what holds the steps to what the plan names for them.
func (p *Plan) held() string {
	loose := p.Unbound()
	switch {
	case p.Profile == Strict:
		return count(p.artifactCount(), "declared artifact")
	case len(loose) == p.stepCount():
		return fmt.Sprintf("recorded instead (profile %s): what a step changes besides what it declares is kept", p.Profile)
	case len(loose) > 0:
		return fmt.Sprintf("%s held to the files that the plan names (profile %s); what %s changes is "+
			"recorded and kept", count(p.stepCount()-len(loose), "step"), p.Profile, Addresses(loose))
	}
	return fmt.Sprintf("%s held to the files that the plan names (profile %s)", count(p.stepCount(), "step"), p.Profile)
}

// artifactCount is the number of declared paths and globs.
func (p *Plan) artifactCount() int {
	return p.sum(func(a *Artifacts) int { return len(a.paths()) })
}

// publicCount is the number of public symbols that steps declare to add or
// remove.
func (p *Plan) publicCount() int {
	return p.sum(func(a *Artifacts) int { return len(publicSymbols(a)) })
}

// redefining is the number of steps that may change public symbols in place.
func (p *Plan) redefining() (n int) {
	for _, s := range p.Steps() {
		if s.redefines() {
			n++
		}
	}
	return n
}

// sum adds up a number over all artifacts.
func (p *Plan) sum(of func(*Artifacts) int) int {
	n := 0
	for _, s := range p.Steps() {
		if s.Artifacts != nil {
			n += of(s.Artifacts)
		}
	}
	return n
}
