package document

import (
	"cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

const undecided = "undecided"

func compare(a, b string) int { return cmp.Compare(a, b) }

func newJudgement(j gate.Judgement) judgement {
	out := judgement{
		Gate: j.Gate, Level: j.Level, Phase: j.Phase, Result: undecided, Blocks: j.Blocks(), Took: span(j.Took),
		Findings: []finding{}, Evidence: []string{}, Citations: []gate.Citation{},
	}
	if j.Err != nil {
		out.Error = j.Err.Error()
	}
	if v := j.Verdict; v != nil {
		out.Result = string(v.Result)
		out.Findings = findings(v.Findings)
		out.Evidence, out.Citations = list(v.Evidence), list(v.Citations)
	}
	return out
}

func findings(fs []gate.Finding) []finding {
	return each(fs, func(f gate.Finding) finding {
		return finding{f.Code, newPath(f.Path), f.Line, f.Message, f.Expected, f.Happened}
	})
}

func newQuestion(e history.Exchange) question {
	q := e.Question
	out := question{
		ID: q.ID, Kind: string(q.Kind), Step: q.Step, Attempt: q.Attempt, What: q.What, Why: q.Why,
		Evidence: list(q.Evidence), Asked: newStamp(q.Asked), Deadline: newStamp(q.Deadline), Open: e.Open(),
		Choices: each(q.Choices, func(c ask.Choice) choice {
			return choice{c.Key, c.Label, c.Consequence, c.Acknowledge, c.NeedsReason}
		}),
		Mistaken: each(e.Mistaken, func(u history.Unanswered) string { return u.Why }),
	}
	if a := e.Answer; a != nil {
		chosen, _ := q.Choice(a.Choice)
		out.Answer = &answer{a.Choice, chosen.Label, a.Acknowledged, a.Reason, a.By, newStamp(a.At)}
	}
	if u := e.Unanswered; u != nil {
		out.Refused = u.Why
	}
	return out
}
