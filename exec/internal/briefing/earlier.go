package briefing

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/ledger"
)

// paths is how many changed paths a line names.
const paths = 5

// earlier is what became of the steps that are over: the last of them, so that a
// step of a long plan costs what one of a short plan does.
func earlier(c *guard.Case) []string {
	var lines []string
	past, more := c.Run.Past(Most, c.Step)
	for _, s := range past {
		line := string(s.Address) + " " + string(s.Status) + ": " + s.Title
		if came := became(s); came != "" {
			line += " · " + came
		}
		lines = append(lines, line)
	}
	return after(more, lines)
}

// became is what a step that is over changed, or why it did not.
func became(s *history.Step) string {
	switch {
	case s.Failed != nil:
		return strings.Join(s.Failed.Reasons, "; ")
	case s.Skipped != nil:
		return s.Skipped.Why
	case s.Blocked != nil:
		return s.Blocked.Why
	}
	if a := s.Account(); a != nil {
		return changed(a)
	}
	return ""
}

// changed names what an attempt changed, as in "created a.txt, modified b.txt
// (2 files +10 −2)".
func changed(a *history.Accounted) string {
	var names []string
	for _, ch := range a.Changes {
		if ch.Kind() != ledger.Dir && len(names) < paths {
			names = append(names, fmt.Sprintf("%s %s", ch.Op, ledger.Quote(ch.Path)))
		}
	}
	if len(names) == 0 {
		return "changed nothing"
	}
	return fmt.Sprintf("%s (%s)", strings.Join(names, ", "), a.Size())
}

// decisions are the answers of people that say more than what comes next, but for
// what the step is told as feedback.
func decisions(c *guard.Case) []string {
	var lines []string
	for _, s := range c.Run.Consulted() {
		if s.Carried != nil {
			lines = append(lines, s.Carried.Answers...)
		}
		for _, x := range s.Questions {
			if x.Answer == nil || s == c.Step && toldAsFeedback(x.Answer.Choice) {
				continue
			}
			lines = append(lines, answered(x)...)
		}
	}
	return latest(lines)
}

// Answers are what people decided about a step, a line each.
func Answers(s *history.Step) []string {
	var lines []string
	for _, x := range s.Questions {
		lines = append(lines, answered(x)...)
	}
	return latest(lines)
}

// answered says what was asked, what was chosen, why, and who said so; nothing
// where the answer only put the question off.
func answered(x history.Exchange) []string {
	a := x.Answer
	if a == nil || a.Choice == choice.Details || a.Choice == choice.Stop {
		return nil
	}
	chosen, _ := x.Question.Choice(a.Choice)
	line := x.Question.What + ": " + chosen.Label
	if a.Reason != "" {
		line += ": " + a.Reason
	}
	return []string{fmt.Sprintf("%s (%s)", line, a.By)}
}

// toldAsFeedback reports whether the words of a choice about a step are feedback
// for its next attempt.
func toldAsFeedback(key string) bool { return key == choice.Again || key == choice.Propose }
