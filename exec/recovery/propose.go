package recovery

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Limits of the rungs that want advice.
const (
	Reflections = 2 // at each of the points approval, execution and verification
	pivots      = 3 // since research was done last
	researches  = 2 // in a task
)

// pointOf is the point of the pipeline at which a step failed.
func pointOf(f *history.AttemptFailed) advice.Point {
	switch f.Class {
	case history.Refused:
		return advice.Approval
	case history.MissingEvidence:
		return advice.Verification
	}
	return advice.Execution
}

// Reflect tries the method with the patch that a reflection proposes, where the
// confidence in it is at least [advice.Threshold]: twice at each point of the
// pipeline (see [pointOf]).
type Reflect struct {
	Times      int     // at each point; 0: two
	Confidence float64 // at least; 0: 0.70
}

// Name is "reflect".
func (Reflect) Name() string { return reflectRung }

// Try wants a reflection, and then its patch.
func (r Reflect) Try(s Situation) (Next, bool) {
	point := pointOf(s.Failure)
	used := 0
	for _, done := range s.History.Recoveries {
		if p := s.History.Patch(done.Method); done.Rung == reflectRung && p != nil && p.Point == string(point) {
			used++
		}
	}
	p := proposal{kind: advice.Reflection, point: point, used: used, times: r.Times, confidence: r.Confidence,
		of: " at " + string(point)}
	if p.times == 0 {
		p.times = Reflections
	}
	if p.confidence == 0 {
		p.confidence = advice.Threshold
	}
	return p.next(s)
}

// Pivot tries another approach that an advisor proposes. Retries count anew
// after it, and it counts anew after research.
type Pivot struct {
	Times int // 0: three
}

// Name is "pivot".
func (Pivot) Name() string { return pivotRung }

// Try wants an alternative, and then tries it.
func (r Pivot) Try(s Situation) (Next, bool) {
	p := proposal{kind: advice.Pivot, point: advice.Execution, used: since(s.History, pivotRung, researchRung),
		times: r.Times}
	if p.times == 0 {
		p.times = pivots
	}
	return p.next(s)
}

// Research reads more, and tries again with what it found. Retries and pivots
// count anew after it. Its own uses are counted over the whole task: a step
// that succeeded does not give them back.
type Research struct {
	Times int // 0: two
}

// Name is "research".
func (Research) Name() string { return researchRung }

// Try wants findings, and then tries with them.
func (r Research) Try(s Situation) (Next, bool) {
	p := proposal{kind: advice.Research, point: advice.Execution, used: inTask(s, researchRung), times: r.Times}
	if p.times == 0 {
		p.times = researches
	}
	return p.next(s)
}

// A proposal is what the rungs that want advice have in common.
type proposal struct {
	kind        advice.Kind
	point       advice.Point
	used, times int
	confidence  float64
	of          string
}

// next wants advice where there is none yet, and acts on advice that is sure
// enough. It passes otherwise, and says why.
func (p proposal) next(s Situation) (Next, bool) {
	if why := p.barred(s); why != "" {
		return pass(why)
	}
	if p.used >= p.times {
		return pass(fmt.Sprintf("%d of %d uses are gone%s", p.used, p.times, p.of))
	}
	a := s.History.Advice(string(p.kind), string(p.point))
	if a == nil {
		return Next{Advise: p.kind, Point: p.point,
			Why: fmt.Sprintf("%s %d of %d%s", p.kind, p.used+1, p.times, p.of)}, true
	}
	patch := s.History.Patch(a.Patch)
	switch {
	case a.Error != "":
		return pass("no advice: " + a.Error)
	case patch == nil && a.Confidence < p.confidence:
		return pass(fmt.Sprintf("there is no patch: the advice changes nothing that can be tried, and its confidence is %s, "+
			"where %s is needed", advice.Hundredths(a.Confidence), advice.Hundredths(p.confidence)))
	case patch == nil:
		return pass("there is no patch: the advice changes nothing that can be tried")
	case a.Confidence < p.confidence:
		return pass(fmt.Sprintf("the advisor's confidence is %s, and %s is needed", advice.Hundredths(a.Confidence),
			advice.Hundredths(p.confidence)))
	case patch.Refused:
		return pass(fmt.Sprintf("%s is refused: %s", patch.ID, strings.Join(patch.Why, "; ")))
	}
	return Next{Method: patch.ID, Why: fmt.Sprintf("%s %d of %d%s: %s", p.kind, p.used+1, p.times, p.of,
		patch.Summary)}, true
}

// barred says why nothing that is not in the plan may be tried.
func (p proposal) barred(s Situation) string {
	switch s.Step.OnFailure {
	case plan.Block:
		return "the plan says to block"
	case plan.Ask:
		return "the plan says to ask"
	}
	if why := unlawful(s); why != "" {
		return why
	}
	if class := classOf(s.Failure); !class.Other && s.Failure.Class != history.Refused {
		return "no other method would end otherwise: " + class.Means
	}
	return ""
}
