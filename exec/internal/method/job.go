package method

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// shell is the name of the executor that carries out jobs.
const shell = "shell"

// Runs reports whether the jobs that reviewers approve for a task are what the
// step does: it is the first of the task that says what to do and no command.
func Runs(task *plan.Task, step *plan.Step) bool {
	i := slices.IndexFunc(task.Steps, func(s plan.Step) bool { return s.Run == "" && s.Prompt != "" })
	return i >= 0 && task.Steps[i].Address == step.Address
}

// OfJobs is the way to do a step that reviewers approved: their jobs, one after
// another. An error says which of them cannot be run.
func OfJobs(step *plan.Step, jobs []review.Job) (Method, error) {
	var commands, names []string
	for _, j := range jobs {
		command, err := j.Command()
		if err != nil {
			return Method{}, err
		}
		if !slices.Contains(commands, command) { // two reviewers propose the same
			commands, names = append(commands, command), append(names, j.ID)
		}
	}
	return Method{ID: recovery.Primary, Description: step.Description + " (job " + strings.Join(names, ", ") + ")",
		Run: strings.Join(commands, " && "), Executor: shell}, nil
}

// approvedJobs are the jobs that a step carries out; none where reviewers approved
// none for it.
func approvedJobs(run *history.Run, s *history.Step) []review.Job {
	if a := run.Task(s.Task).Approval(); a != nil && a.Status.Runs() && a.RunBy == s.Address {
		return a.Jobs
	}
	return nil
}
