package document

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// approvalLine is one decision.
type approvalLine struct {
	Task      string                 `json:"task_id"`
	Status    history.ApprovalStatus `json:"preliminary_status"`
	Time      string                 `json:"timestamp"`
	Verdicts  map[string]string      `json:"verdicts"` // by reviewer; "" where there is no contract
	Critical  []string               `json:"critical_flags"`
	Jobs      []string               `json:"approved_jobs"` // ids
	Attempt   string                 `json:"attempt_id"`
	Patch     *string                `json:"patch_id"`
	Retry     int                    `json:"retry_attempt"`
	Reasons   []string               `json:"reasons"`
	Terminal  *string                `json:"terminal_reason"`
	Undone    bool                   `json:"undone"`                // the run was set back to before the task
	Ready     []readyLine            `json:"ready_jobs,omitempty"`  // from memory
	Memory    *fromMemory            `json:"from_memory,omitempty"` // where the approved jobs come from
	Contracts []review.Review        `json:"contracts"`
}

// drawApprovals draws the decisions of reviewers, a line of JSON for each, in
// the order in which they were made.
func drawApprovals(w io.Writer, rep *Model) error { return encodeLines(w, rep.Approvals) }

// newApprovalLine is a decision in the words of the approval gate.
func newApprovalLine(a *history.Approval) approvalLine {
	line := approvalLine{Task: a.Task, Status: a.Status, Time: a.Decided.UTC().Format(approvalTime),
		Verdicts: map[string]string{}, Critical: []string{}, Jobs: []string{}, Attempt: a.Attempt,
		Patch: orNull(a.Patch), Retry: a.Retry,
		Reasons: append([]string{}, a.Reasons...), Terminal: orNull(a.Terminal), Undone: a.Undone,
		Contracts: append([]review.Review{}, a.Reviews...)}
	for _, r := range a.Reviews {
		line.Verdicts[r.Reviewer] = r.Verdict
		for _, flag := range r.Critical {
			line.Critical = append(line.Critical, r.Reviewer+": "+flag)
		}
	}
	for _, j := range a.Jobs {
		line.Jobs = append(line.Jobs, j.ID)
	}
	line.Ready, line.Memory = readyLines(a), newFromMemory(a)
	return line
}

// rejections are the decisions by which drafts did not pass, each with its reasons.
func rejections(r *history.Run) (lines []string) {
	for i := range r.Approvals {
		a := &r.Approvals[i]
		if a.Status.Runs() {
			continue
		}
		text := a.Attempt + ": " + a.String()
		if a.Undone {
			text += " (set back since)"
		}
		lines = append(lines, text)
	}
	return lines
}

// approvalTime is how times are written, as in all views.
const approvalTime = "2006-01-02T15:04:05.000Z"

// orNull is nil for "": the field is there, and null.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// A lastWord is what became of a task that somebody reviewed, or whose evidence
// was looked for.
type lastWord struct {
	history.TaskOutcome
	Lacking []evidence.Item `json:"lacking,omitempty"` // evidence that was looked for and not found
}

// lookedFor is what was found of what a task should have left behind.
type lookedFor struct {
	history.Evidence
	Undone bool `json:"undone"` // the run was set back to before the end of the task
}

// evidenceOf are all looks for evidence, in order, those too that a rollback
// undid.
func evidenceOf(r *history.Run) (all []lookedFor) {
	for _, e := range r.Evidence {
		all = append(all, lookedFor{e, e.Undone})
	}
	return all
}

// lastWordsOf are the last words that stand, in the order of the tasks.
func lastWordsOf(rep *Model, r *history.Run) []lastWord {
	var all []lastWord
	for _, t := range rep.Tasks {
		o := r.Task(t.ID).Word()
		if o == nil {
			continue
		}
		word := lastWord{TaskOutcome: *o}
		if e := r.Task(t.ID).Evidence(); e != nil {
			for _, item := range e.Items {
				if item.State != evidence.Found {
					word.Lacking = append(word.Lacking, item)
				}
			}
		}
		all = append(all, word)
	}
	return all
}

// A reflection is a line of reflections.jsonl: what an advisor said, and what
// came of it.
type reflection struct {
	TaskID     string       `json:"task_id"`
	Step       plan.Address `json:"step"`
	Attempt    int          `json:"attempt"`
	Kind       string       `json:"kind"`
	Point      string       `json:"point"`
	Advisor    string       `json:"advisor"`
	RootCause  string       `json:"root_cause"`
	Note       string       `json:"note"`
	Proposed   string       `json:"proposed_fix,omitempty"`
	Patch      string       `json:"patch_id,omitempty"`
	Refused    bool         `json:"patch_refused,omitempty"`
	Unused     string       `json:"patch_unused,omitempty"` // why nothing came of a patch that was not refused
	Result     string       `json:"patch_result,omitempty"` // what came of what was tried
	RiskScores riskScores   `json:"risk_scores"`
	Queries    []string     `json:"queries_performed,omitempty"`
	Sources    []string     `json:"sources_consulted,omitempty"`
	Findings   []string     `json:"key_findings,omitempty"`
	Error      string       `json:"error,omitempty"`
}

// riskScores are what an advisor said of its advice, and what trying once more is
// worth by that and by what attempts took: the first four from 0 to 1.
type riskScores struct {
	Confidence float64 `json:"confidence"`
	Severity   float64 `json:"severity"`
	Risk       float64 `json:"risk"`
	Priority   float64 `json:"priority,omitempty"` // none before a task, where nothing has failed
	Seconds    float64 `json:"cost_seconds"`
	Calls      int     `json:"cost_calls"`
	Tokens     int64   `json:"cost_tokens"`
}

// reflectionsOf are what advisors said, in the order of the steps, with what
// became of the patches that they brought.
func reflectionsOf(r *history.Run, rep *Model) []reflection {
	var all []reflection
	asked := map[string]int{} // of a task: how often a server was asked again
	for _, s := range rep.steps {
		was := r.Step(s.Address)
		for _, a := range was.Advised {
			line := reflection{TaskID: s.Task, Step: s.Address, Attempt: a.Attempt, Kind: a.Kind, Point: a.Point,
				Advisor:   a.Advisor,
				RootCause: a.RootCause, Note: a.Note, Patch: a.Patch, Error: a.Error,
				RiskScores: riskScores{a.Confidence, a.Severity, a.Risk, priority(was, &a),
					a.Cost.Took.Seconds(), a.Cost.Calls, a.Cost.Tokens},
				Queries: a.Queries, Sources: a.Sources, Findings: a.Findings}
			if patch := was.Patch(a.Patch); patch != nil {
				line.Proposed, line.Refused = patch.Summary, patch.Refused
				line.Unused, line.Result = unused(r, was, &a), resultOf(r, was, a.Patch)
			} else if a.Same {
				line.Unused = "no patch: it comes to what was tried already"
			} else if a.Point == string(advice.Verification) && a.Confidence >= advice.Threshold {
				if again := requeries(r, s.Task); asked[s.Task] < len(again) {
					line.Proposed, line.Result = "ask the tracking server again", again[asked[s.Task]]
					asked[s.Task]++
				}
			}
			all = append(all, line)
		}
	}
	return all
}

// requeries are what came of asking a tracking server again about a task, in
// order; "" where it was not asked yet.
func requeries(r *history.Run, task string) (came []string) {
	for _, e := range r.EvidenceRetries {
		if e.Task == task && e.Action == "requery" {
			came = append(came, foundBy(r, e))
		}
	}
	return came
}

const evidenceStillMissing = "the evidence was still missing"

// foundBy is what was found after a retry for missing evidence; "" if nobody
// looked yet.
func foundBy(r *history.Run, e history.EvidenceRetry) (result string) {
	for _, look := range r.Evidence {
		switch {
		case look.Task != e.Task || look.Retry != e.Retry || look.Undone != e.Undone:
		case look.Pass:
			result = "the evidence was found"
		default:
			result = evidenceStillMissing
		}
	}
	return result
}

// fruitless reports whether a patch was to leave evidence that was still missing
// then.
func fruitless(r *history.Run, step plan.Address, patch string) bool {
	return slices.ContainsFunc(r.EvidenceRetries, func(e history.EvidenceRetry) bool {
		return !e.Undone && e.Step == step && e.Patch == patch && foundBy(r, e) == evidenceStillMissing
	})
}

// unused says why a patch that an advice brought was not tried; "" if it was, was
// refused, or may be yet.
func unused(r *history.Run, s *history.Step, a *history.Advised) string {
	switch {
	case a.Confidence >= advice.Threshold || s.Patch(a.Patch).Refused:
		return ""
	case slices.ContainsFunc(slices.Concat(s.Undone, s.Attempts),
		func(tried *history.Attempt) bool { return tried.Method.Method == a.Patch }):
		return ""
	case s.Next != nil && s.Next.Method == a.Patch || slices.ContainsFunc(r.Approvals, func(of history.Approval) bool {
		return of.Task == s.Task && of.Patch == a.Patch
	}):
		return ""
	}
	return "not tried: its confidence is below " + advice.Hundredths(advice.Threshold)
}

// resultOf is what came of a patch: what reviewers decided about it, how the
// attempts with it went, and whether they left the evidence that was missing; ""
// if it was not tried.
func resultOf(r *history.Run, s *history.Step, patch string) string {
	var came []string
	for _, of := range r.Approvals {
		if of.Task == s.Task && of.Patch == patch {
			came = append(came, fmt.Sprintf("decision %s: %s", of.Attempt, of.Status))
		}
	}
	say := func(a *history.Attempt, how string) {
		if a.Lost() {
			how = "was cut off"
		}
		if a.Method.Method == patch || a.Method.Method == "primary" && r.Redrafted(s) == patch {
			came = append(came, fmt.Sprintf("attempt %d %s", a.Number, how))
		}
	}
	for _, a := range s.Undone {
		if a.Failure != nil {
			say(a, "failed")
		} else {
			say(a, "was set back")
		}
	}
	for _, a := range s.Attempts {
		switch {
		case a.Failure != nil:
			say(a, "failed")
		case s.Status == history.Completed && a == s.Last():
			say(a, "was accepted")
		default:
			say(a, "is not over")
		}
	}
	for _, e := range r.EvidenceRetries {
		if found := foundBy(r, e); e.Step == s.Address && e.Patch == patch && found != "" {
			came = append(came, found)
		}
	}
	return strings.Join(came, ", ")
}

// priority is what trying a step once more is worth by an advice about it, and by
// what the attempts before it took, to two places: more would say how busy the
// machine was.
func priority(s *history.Step, a *history.Advised) float64 {
	if a.Point == string(advice.Task) {
		return 0
	}
	before := slices.DeleteFunc(slices.Concat(s.Undone, s.Attempts),
		func(other *history.Attempt) bool { return other.Number > a.Attempt })
	return math.Round(100*cause.Priority(a.Confidence, a.Severity, cause.Cost(before))) / 100
}

// drawReflections draws everything that advisors said, a line of JSON each.
func drawReflections(w io.Writer, rep *Model) error {
	return encodeLines(w, reflectionsOf(rep.of, rep))
}
