package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/gate"
)

// recordLine is a record on one line: position, time, step, attempt, type, gist.
func recordLine(rec checkpoint.Record) string {
	where := rec.Step
	if rec.Attempt > 0 {
		where += fmt.Sprintf("#%d", rec.Attempt)
	}
	line := fmt.Sprintf("%5d  %s  %-7s  %-15s", rec.Seq, rec.Time.UTC().Format("2006-01-02 15:04:05.000"), escaped(where), escaped(rec.Type))
	fact, err := history.Decode(rec)
	if err != nil {
		return line + "  " + escaped(err.Error())
	}
	return strings.TrimRight(line+"  "+safetext.Clip(gist(fact), 160), " ")
}

// gist is what a fact says, in a few words.
func gist(fact history.Fact) string {
	switch f := fact.(type) {
	case *history.Started:
		return fmt.Sprintf("%s · plan %s · base tree %s", f.Goal, f.Plan.Short(), f.Base.Tree.Short())
	case *history.Resumed:
		return "after " + f.Reason
	case *history.StepStarted:
		return fmt.Sprintf("tree %s · %s", f.Checkpoint.Tree.Short(), strings.TrimSuffix(f.Decision+": "+f.Concern, ": "))
	case *history.Judged:
		return gatesGist(*f)
	case *history.AttemptStarted:
		return fmt.Sprintf("%s by %s: %s", methodName(f.Method), orElse(f.Executor, "the default executor"), f.Text)
	case *history.AttemptEnded:
		return strings.TrimSuffix(fmt.Sprintf("exit %d after %s: %s", f.Exit, seconds(f.Took), f.Error), ": ")
	case *history.Accounted:
		verdict := "as declared"
		if !f.Account.Holds() {
			verdict = fmt.Sprintf("%d missing, %d extra", len(f.Account.Missing), len(f.Account.Extra)+len(f.Account.SymbolsExtra))
		}
		return changed(f) + " · " + verdict
	case *history.StepCompleted:
		return fmt.Sprintf("tree %s by %s", f.Snapshot.Tree.Short(), methodName(f.Method))
	case *history.AttemptFailed:
		return fmt.Sprintf("%s: %s", f.Class, strings.Join(f.Reasons, "; "))
	case *history.Recovery:
		return strings.TrimSpace(fmt.Sprintf("%s %s: %s", f.Rung, methodName(f.Method), f.Why))
	case *history.Advised:
		return fmt.Sprintf("%s at %s: %s", f.Kind, f.Point, cmp.Or(f.Error, f.Note, f.RootCause))
	case *history.Patched:
		if f.Refused {
			return fmt.Sprintf("%s refused: %s", f.ID, strings.Join(f.Why, "; "))
		}
		return fmt.Sprintf("%s of %s: %s", f.ID, methodName(f.Base), f.Summary)
	}
	return gistOfPeople(fact)
}

// gatesGist names gates that share a record, since they object to nothing, and says what the gate says that has one of its own. No
// controller writes a record that is shared by one that objects, but a journal may come from anybody.
func gatesGist(judged history.Judged) string {
	var names, said []string
	for _, j := range judged {
		if names = append(names, j.Gate); len(judged) == 1 || j.Verdict == nil || j.Verdict.Result != gate.Passed {
			said = append(said, gateGist(j))
		}
	}
	if len(said) > 0 {
		return strings.Join(said, "; ")
	}
	return fmt.Sprintf("%d gates pass: %s", len(judged), strings.Join(names, ", "))
}

func gateGist(f gate.Judgement) string {
	text := fmt.Sprintf("%s (%s, level %d): ", f.Gate, f.Phase, f.Level)
	switch {
	case f.Verdict != nil && len(f.Verdict.Findings) > 0:
		return text + fmt.Sprintf("%s · %s", f.Verdict.Result, f.Verdict.Findings[0].Message)
	case f.Verdict != nil:
		return text + string(f.Verdict.Result)
	case f.Err != nil:
		return text + "undecided: " + f.Err.Error()
	}
	return text + "undecided"
}

// gistOfPeople is gist for what was asked and decided, and for the ends of things.
func gistOfPeople(fact history.Fact) string {
	switch f := fact.(type) {
	case *history.RestoreBegun:
		return "to tree " + f.To.Tree.Short()
	case *history.Restored:
		return "tree " + f.Tree.Short()
	case *history.Compensated:
		return strings.TrimSuffix(fmt.Sprintf("%s: exit %d %s", f.Run, f.Exit, f.Error), " ")
	case *history.Asked:
		return f.Question.ID + ": " + f.Question.What
	case *history.Answered:
		return strings.TrimSuffix(fmt.Sprintf("%s: %s by %s: %s", f.Answer.Question, f.Answer.Choice, f.Answer.By, f.Answer.Reason), ": ")
	case *history.Unanswered:
		return f.Question + ": " + f.Why
	case *history.ModeSwitched:
		return f.String()
	case *history.StepFailed:
		return fmt.Sprintf("%s: %s", f.Class, strings.Join(f.Reasons, "; "))
	case *history.StepSkipped:
		return "by " + f.By + ": " + f.Why
	case *history.StepBlocked:
		return f.Why
	case *history.Paused:
		return f.Why
	case *history.RolledBack:
		return fmt.Sprintf("to before %s, tree %s", f.To, f.Snapshot.Tree.Short())
	case *history.Amended:
		return strings.TrimSuffix(fmt.Sprintf("plan %s · %s by %s: %s", f.Plan.Short(), plural(len(f.Added), "further step"), orElse(f.By, "the host"), f.Reason), ": ")
	case *history.Ended:
		return strings.TrimSuffix(fmt.Sprintf("%s: %s", f.Status, strings.Join(f.Reasons, "; ")), ": ")
	case *history.Delivered:
		return "tree " + f.Tree.Short()
	case *history.Sealed:
		return plural(len(f.Views), "view")
	}
	return gistOfFlow(fact)
}
