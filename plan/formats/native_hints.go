package formats

import (
	"os"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/paths"
)

var (
	// What a text begins with that tells to write the files which it names.
	writing  = lazyre.New(`^(?i:create|write|add|implement|update|modify|extend|edit|refactor|define|generate|build|configure|scaffold)\b`)
	creating = lazyre.New(`^(?i:create|generate|scaffold)\b`)
	// What a text begins with that tells to look, not to write.
	looking = lazyre.New(`^(?i:run|verify|check|commit|confirm|read|review|test|see|inspect|ensure)\b`)

	// A path with a folder, or a name in backticks; both with an extension.
	pathHint = lazyre.New(
		"(?:^|[\\s(\"'`])((?:[\\w.@-]+/)+[\\w.@-]*\\.[A-Za-z][A-Za-z0-9]{0,7})(?:[\\s)\"'`,;:]|\\.?$)")
	nameHint = lazyre.New("`([\\w@-][\\w.@-]*\\.[A-Za-z][A-Za-z0-9]{0,7})`")
)

// maxHints bounds the files that are looked for in one text, and the text.
const maxHints, maxHinted = 20, 2000

// hinted lists the files in a text that tells to write them. A text that names
// files for another reason has none.
func hinted(text string) []string {
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxHinted || !writing.MatchString(text) {
		return nil
	}
	var names []string
	for _, hint := range []*lazyre.Regexp{pathHint, nameHint} {
		for _, m := range hint.FindAllStringSubmatch(text, maxHints) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// owner is the index of the only step that names a file and does not just look; -1:
// there is none, or several.
func owner(steps []plan.Step, file string) int {
	found := -1
	for j := range steps {
		s := &steps[j]
		if s.Artifacts != nil || looking.MatchString(s.Description) || !paths.Named(s.Description, file) &&
			!paths.Named(s.Prompt, file) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

// A conversion makes a native plan of one in another format, and the remarks
// about it.
type conversion struct {
	d       *plan.Draft
	at      []int     // where the tasks of p are in the draft
	p       plan.Plan // tasks and steps are its own; what hangs below is shared with the draft
	remarks map[string][]string
	root    *os.Root // of the workspace; nil: not known
	named   bool     // artifacts were made of named files
}

// remark adds lines about the key that a path names.
func (c *conversion) remark(key string, lines ...string) {
	c.remarks[key] = append(c.remarks[key], lines...)
}
