package cmd

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence"
)

// gistOfTask is gist for what is said about tasks as a whole, and for what people and jobs leave.
func gistOfTask(fact history.Fact) string {
	switch f := fact.(type) {
	case *history.Approval:
		text := fmt.Sprintf("task %s is %s by %s: %s", f.Task, f.Status, plural(len(f.Reviews), "reviewer"), strings.Join(f.Reasons, "; "))
		return strings.TrimSuffix(text, ": ")
	case *history.Telemetry:
		text := fmt.Sprintf("%s · %s · %s · %s", f.Status, plural(len(f.Runs), "run"), plural(len(f.Artifacts), "artifact"), plural(len(f.Metrics), "metric"))
		if f.Dropped > 0 {
			text += fmt.Sprintf(" · %s dropped", plural(f.Dropped, "line"))
		}
		return text
	case *history.Evidence:
		found := 0
		for _, item := range f.Items {
			if item.State == evidence.Found {
				found++
			}
		}
		verdict := "missing"
		if f.Pass {
			verdict = "found"
		}
		return fmt.Sprintf("evidence of task %s (%s) is %s: %d of %s", f.Task, f.Kind, verdict, found, plural(len(f.Items), "item"))
	case *history.EvidenceRetry:
		return strings.TrimSuffix(fmt.Sprintf("task %s, retry %d: %s%s", f.Task, f.Retry, f.Action, f.Terminal), ": ")
	case *history.TaskOutcome:
		return fmt.Sprintf("task %s is %s: %s", f.Task, f.Status, f.Reason)
	case *history.Compliance:
		if len(f.Violated) == 0 {
			return fmt.Sprintf("task %s keeps its articles", f.Task)
		}
		v := f.Violated[0]
		return fmt.Sprintf("task %s: article %s: %s (%s)", f.Task, v.Article, v.Why, v.Severity)
	case *history.Lesson:
		return fmt.Sprintf("%s chosen, %s used: %s", methodName(f.Chosen), methodName(f.Used), f.Lesson)
	case *history.Addendum:
		return fmt.Sprintf("number %d, in answer to %s: %s by %s", f.Number, f.Question, f.Choice, f.By)
	case *history.Remembered:
		if f.ID == "" {
			return fmt.Sprintf("%s was not remembered: %s", f.Choice, f.Why)
		}
		return fmt.Sprintf("%s as %s, for questions of the kind %s", f.Choice, f.ID, f.Kind)
	}
	return ""
}
