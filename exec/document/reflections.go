package document

import (
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

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
	RiskScores riskScores   `json:"risk_scores"`
	Queries    []string     `json:"queries_performed,omitempty"`
	Sources    []string     `json:"sources_consulted,omitempty"`
	Findings   []string     `json:"key_findings,omitempty"`
	Error      string       `json:"error,omitempty"`
}

type riskScores struct {
	Confidence float64 `json:"confidence"`
	Severity   float64 `json:"severity"`
	Risk       float64 `json:"risk"`
	Seconds    float64 `json:"cost_seconds"`
	Calls      int     `json:"cost_calls"`
	Tokens     int64   `json:"cost_tokens"`
}

func reflectionsOf(r *history.Run, rep *Model) []reflection {
	var all []reflection
	for _, s := range rep.steps {
		was := r.Step(s.Address)
		for _, a := range was.Advised {
			line := reflection{TaskID: s.Task, Step: s.Address, Attempt: a.Attempt, Kind: a.Kind, Point: a.Point,
				Advisor:   a.Advisor,
				RootCause: a.RootCause, Note: a.Note, Patch: a.Patch, Error: a.Error,
				RiskScores: riskScores{a.Confidence, a.Severity, a.Risk, a.Cost.Seconds, a.Cost.Calls, a.Cost.Tokens},
				Queries:    a.Queries, Sources: a.Sources, Findings: a.Findings}
			if patch := was.Patch(a.Patch); patch != nil {
				line.Proposed, line.Refused = patch.Summary, patch.Refused
			}
			all = append(all, line)
		}
	}
	return all
}

// drawReflections draws everything that advisors said, a line of JSON each.
func drawReflections(w io.Writer, rep *Model) error {
	return encodeLines(w, reflectionsOf(rep.of, rep))
}
