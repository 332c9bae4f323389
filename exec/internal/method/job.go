package method

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// Shell is the name of the executor that carries out jobs.
const Shell = "shell"

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
		Run: strings.Join(commands, and), Executor: Shell}, nil
}

// Jobs are the commands of which a command is made, one after another as OfJobs
// puts them: each is words, and nothing that a shell reads as more. Any other
// command is one.
func Jobs(run string) []string {
	var all []string
	rest := run
	for {
		end := plain(rest)
		command := rest[:end]
		program, _, _ := strings.Cut(command, " ")
		if strings.TrimSpace(command) == "" || strings.Contains(program, "=") ||
			slices.Contains(strings.Fields(keeping), program) {
			return []string{run}
		}
		all = append(all, command)
		if end == len(rest) {
			return all
		}
		var more bool
		if rest, more = strings.CutPrefix(rest[end:], and); !more {
			return []string{run}
		}
	}
}

// and joins jobs.
const and = " && "

// keeping are commands of which something stays in a shell for those behind them.
const keeping = ". : alias break cd command continue eval exec exit export hash local read readonly return set shift source trap ulimit umask unalias unset wait"

// plain is how far a command goes whose words a shell reads as they stand; 0 where
// a quote does not end.
func plain(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(text[i:], `\'`):
			i++
		case strings.HasPrefix(text[i:], and):
			return i
		case c != ' ' && !strings.ContainsRune(words, rune(c)):
			return i
		}
	}
	if quoted {
		return 0
	}
	return len(text)
}

// words are the characters of words that need no quotes.
const words = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@%+="

// approvedJobs are the jobs that a step carries out; none where reviewers approved
// none for it.
func approvedJobs(run *history.Run, s *history.Step) []review.Job {
	if a := run.Task(s.Task).Approval(); a != nil && a.Status.Runs() && a.RunBy == s.Address {
		return a.Jobs
	}
	return nil
}
