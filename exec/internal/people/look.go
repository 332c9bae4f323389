package people

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// Look has the person of a session, who must be there, look at the work of a
// pass. It takes as long as the person likes.
func Look(ctx context.Context, s *session.Session, pass *gate.Pass) gate.Judgements {
	r := &reviewer{session: s, attempt: pass.Attempt}
	if pass.Phase != gate.Final {
		r.step = pass.Step.Address
	}
	p := panel.Panel{Gates: []gate.Gate{review.Work(r)}, Timeouts: func(gate.Info) time.Duration { return 0 }}
	s.Tell(event.Event{Kind: event.Judging, Step: r.step, Attempt: r.attempt, Phase: pass.Phase})
	return p.Ask(ctx, pass)
}

// A reviewer is the person as a reviewer of one work.
type reviewer struct {
	session *session.Session
	step    plan.Address // "" for the run as a whole
	attempt int
}

// Name is the same for everybody: who it is stands with what is said.
func (r *reviewer) Name() string { return "person" }

// Keys of the choices.
const (
	done    = "y"
	missing = "n"
	leave   = "u"
)

// Review shows what changed and asks whether that is what was wanted. A person
// who does not say leaves the work unjudged.
func (r *reviewer) Review(ctx context.Context, asked review.Request) (review.Review, error) {
	cited := citations(asked.Changes)
	if len(cited) == 0 {
		return review.Review{}, fmt.Errorf("%w: nothing that changed can be shown", review.ErrAbstains)
	}
	q := r.question(asked)
	r.session.Tell(event.Event{Kind: event.Asking, Step: r.step, Attempt: r.attempt, Question: &q})
	a, err := r.session.Person(ctx, q)
	if ctx.Err() != nil {
		return review.Review{}, context.Cause(ctx)
	}
	if err == nil {
		err = q.Check(a)
	}
	if err != nil {
		return review.Review{}, fmt.Errorf("%w: %w", review.ErrAbstains, err)
	}
	switch a.Choice {
	case done:
		said := review.Review{Verdict: string(gate.Passed)}
		for i := range asked.Acceptance {
			said.Criteria = append(said.Criteria, review.Criterion{Number: i + 1, Met: true, Citations: cited,
				Note: strings.TrimSuffix("by "+a.By+": "+a.Reason, ": ")})
		}
		return said, nil
	case missing:
		return review.Review{Verdict: string(gate.Fail),
			Findings: []string{fmt.Sprintf("%s says: %s", a.By, a.Reason)}}, nil
	}
	return review.Review{}, fmt.Errorf("%w: left as it is by %s", review.ErrAbstains, a.By)
}

// question shows criteria and differences.
func (r *reviewer) question(asked review.Request) ask.Question {
	q := ask.Question{ID: "work-" + string(r.step), Run: asked.Run, Step: r.step, Attempt: r.attempt, Kind: ask.Work,
		What: "look at task " + strings.TrimSpace(asked.Task+" "+asked.Title) + ": is it done?",
		Why:  "whoever carried it out says so, and no check and no reviewer can tell", Default: leave,
		Choices: []ask.Choice{
			{Key: done, Also: []string{"yes"}, Label: "it is done", Consequence: "each criterion counts as met, and the journal has your word for it"},
			{Key: missing, Also: []string{"no"}, Label: "it is not: say what is missing", NeedsReason: true,
				Consequence: "whoever carried it out hears your words, and tries again where the plan has tries left"},
			{Key: leave, Label: "leave it", Consequence: "nobody looked at it, and the run ends PARTIAL at best"},
		}}
	if r.step == "" {
		q.ID, q.What = "work", "look at what the run made: does it come to what the plan asks for?"
		q.Choices[1].Consequence = "the run ends NOT_ACHIEVED, and its report has your words"
	}
	for i, text := range asked.Acceptance {
		q.Evidence = append(q.Evidence, fmt.Sprintf("%d. %s", i+1, text))
	}
	for _, c := range asked.Changes {
		text := fmt.Sprintf("%s %s", c.Op, c.Path)
		if c.LeftOut != "" {
			text += " (not shown: " + c.LeftOut + ")"
		}
		q.Evidence = append(q.Evidence, text)
	}
	if asked.More > 0 {
		q.Evidence = append(q.Evidence, fmt.Sprintf("and %d more paths", asked.More))
	}
	q.Evidence = append(q.Evidence, "all of it lies in "+asked.Dir)
	for _, c := range asked.Changes {
		if c.Diff != "" {
			q.Evidence = append(q.Evidence, c.Diff)
		}
	}
	return q
}

// most is how many places are cited of what was shown.
const most = 20

// citations are the first line of each change that shows it, or the path of one
// that no line shows.
func citations(changes []review.Change) (places []string) {
	for _, c := range changes[:min(len(changes), most)] {
		switch line := firstAdded(c.Diff); {
		case line > 0:
			places = append(places, fmt.Sprintf("%s:%d", c.Path, line))
		case c.LeftOut == "":
			places = append(places, c.Path)
		}
	}
	return places
}

// firstAdded is the number of the first line that a unified difference adds; 0 if
// it adds none.
func firstAdded(diff string) int {
	at := 0 // number of the line that comes next in what stands after; 0 above the first part
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			_, after, _ := strings.Cut(line, " +")
			at, _ = strconv.Atoi(after[:max(strings.IndexAny(after, ", "), 0)])
		case at == 0 || strings.HasPrefix(line, "-"):
		case strings.HasPrefix(line, "+"):
			return at
		default:
			at++
		}
	}
	return 0
}

// Needed reports whether a person has to look at a task before its last step
// counts: where somebody is there, and a step that decides whether the goal is
// achieved rests on nothing. counts says whether something or somebody looked at a
// step.
func Needed(s *session.Session, task *plan.Task, counts func(plan.Address) bool) bool {
	kind, _, _ := strings.Cut(task.Kind, ":")
	if !Present(s) || kind == "checkpoint" {
		return false
	}
	essential := s.Plan.Essential()
	for i := range task.Steps {
		if essential(&task.Steps[i]) && !counts(task.Steps[i].Address) {
			return true
		}
	}
	return false
}

// Present reports whether a person is there who may be asked about work.
func Present(s *session.Session) bool {
	return s.Person != nil && s.Rec.Run.Mode != plan.Silent && !s.Rec.Run.Started.Shadow
}
