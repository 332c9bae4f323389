package labels

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// likeLabel is a line that looks as if it began with a label, in bold or not.
var likeLabel = lazyre.New(`^\s*(?:[-*+]\s+)?(?:\*\*)?([A-Za-z][A-Za-z_ -]{4,24}?)\s*(?:\*\*)?:`)

// weighty are the labels without which nobody looks at a task, or it does not wait.
var weighty = []string{"verify", "verification", "acceptance", "acceptance criteria", "success criteria",
	"definition of done", "depends on", "dependencies"}

// Misspelt is what a line says in place of a label, and the label that it is one
// letter away from (of long ones, two): "Verfiy", "verify". "" where it is not
// that near to any, or is one.
func Misspelt(line string) (said, label string) {
	if level, text := outline.Heading(line); level > 0 {
		said = strings.TrimRight(text, ":")
	} else if strings.IndexByte(line, ':') < 0 {
		return "", ""
	} else if m := likeLabel.FindStringSubmatch(line); m != nil {
		said = m[1]
	}
	return said, Meant(said)
}

// Meant is the label that a name is a misspelling of, or "".
func Meant(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", " "))
	f := Field{Label: name}
	if len(name) < 5 || f.Verify() || f.Acceptance() || f.Depends() || f.Files() ||
		plainKeys.Has(strings.ReplaceAll(name, " ", "_")) {
		return ""
	}
	return spelling.Within(name, weighty, max(1, len(name)/9))
}
