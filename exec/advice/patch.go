package advice

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// A PatchError says why a patch cannot be applied.
type PatchError struct{ Why string }

func (e *PatchError) Error() string { return "advice: the patch cannot be applied: " + e.Why }

var (
	argument = lazyre.New(`^[a-zA-Z][a-zA-Z0-9_-]*$`)
	value    = lazyre.New(`^[a-zA-Z0-9_./:@%+,=-]*$`) // nothing that a shell reads
)

// Apply returns m with the patch applied; m itself is not changed. *PatchError
// if the patch changes nothing, names an argument that m's command neither has nor,
// as the plan declares, may be given, or gives a value that a shell would read as
// more than a word.
func (p *Patch) Apply(m Method) (Method, error) {
	refuse := func(format string, args ...any) (Method, error) {
		return Method{}, &PatchError{Why: fmt.Sprintf(format, args...)}
	}
	if p.Run == nil && p.Prompt == nil && len(p.Args) == 0 && len(p.Env) == 0 && len(p.Feedback) == 0 {
		return refuse("it changes nothing")
	}
	if p.Run != nil {
		if m.Run == "" || strings.TrimSpace(*p.Run) == "" {
			return refuse("a command can be replaced by another, and only by another")
		}
		m.Run = *p.Run
	}
	if p.Prompt != nil {
		if m.Prompt == "" || strings.TrimSpace(*p.Prompt) == "" {
			return refuse("a prompt can be replaced by another, and only by another")
		}
		m.Prompt = *p.Prompt
	}
	failed := m // where the command stands that arguments are for
	if failed.From < 0 || failed.To > len(m.Run) || failed.From >= failed.To || p.Run != nil {
		failed.From, failed.To = 0, len(m.Run)
	}
	m.From, m.To = 0, 0 // another command may fail now
	for _, name := range slices.Sorted(maps.Keys(p.Args)) {
		if !argument.MatchString(name) || !value.MatchString(p.Args[name]) {
			return refuse("argument %q with value %q is more than a word", name, p.Args[name])
		}
		place := regexp.MustCompile(`(^|\s)(--` + regexp.QuoteMeta(name) + `)(=|\s+)([^\s;|&<>()$"'` + "`" + `\\]+)`)
		from, to := failed.From, failed.To
		at := place.FindStringSubmatchIndex(m.Run[from:to])
		if at == nil {
			from = 0
			at = place.FindStringSubmatchIndex(m.Run)
		}
		before := len(m.Run)
		switch {
		case at != nil:
			m.Run = m.Run[:from+at[8]] + p.Args[name] + m.Run[from+at[9]:]
			if from+at[8] < failed.From {
				failed.From += len(m.Run) - before
			} else if from+at[8] >= to {
				continue // in a command behind it
			}
		case slices.Contains(m.Adjustable, name) && !strings.ContainsAny(m.Run[failed.From:to], ";|&<>()\n#`"):
			end := failed.From + len(strings.TrimRight(m.Run[failed.From:to], " \t"))
			m.Run = m.Run[:end] + " --" + name + " " + p.Args[name] + m.Run[to:]
		case slices.Contains(m.Adjustable, name):
			return refuse("the command has no argument --%s, and none can be added to one that a shell reads as more than words",
				name)
		default:
			return refuse("the command has no argument --%s, and the plan does not declare it adjustable", name)
		}
		failed.To = to + len(m.Run) - before
	}
	return m, nil
}
