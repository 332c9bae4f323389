package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// bearsRule is that of what files bear.
var bearsRule = rule{code: "bears-misplaced", severity: Error, said: true,
	why: "What a file bears is said once, of one file or folder that the step creates or modifies, and says " +
		"something: it is compared with that path, and the step fails where it is not there.",
	step: func(_ *inspection, s *stepPart, tell tell) {
		if s.Artifacts == nil {
			return
		}
		seen := map[string]bool{}
		for i := range s.Artifacts.Bears {
			b := &s.Artifacts.Bears[i]
			if why, hint := misplaced(s.Artifacts, b, seen); why != "" {
				tell(fmt.Sprintf("artifacts.bears[%d]", i), why, hint)
			}
			seen[b.Path] = true
		}
	}}

// misplaced says what is wrong with a bearing, behind those that were seen.
func misplaced(a *Artifacts, b *Bearing, seen map[string]bool) (why, hint string) {
	made := func(pattern string) bool {
		return ledger.Match(pattern, b.Path) || strings.HasPrefix(pattern, b.Path+"/")
	}
	switch {
	case b.Path == "":
		return "bears names no path", `add  path = "bin/ping"  with the path of a file that the step makes`
	case ledger.IsGlob(b.Path):
		return fmt.Sprintf("%q stands for many paths, and what a file bears is said of each by itself", b.Path),
			"write one entry for each file"
	case seen[b.Path]:
		return fmt.Sprintf("%q stands twice under bears", b.Path), "say all that it bears in one entry"
	case b.Owner == nil && b.Group == nil && b.Bits() == 0 && len(b.Attributes) == 0:
		return fmt.Sprintf("what %q bears is not said", b.Path),
			"add owner, group, setuid, setgid, sticky or attributes, or take the entry out"
	case !slices.ContainsFunc(a.Create, made) && !slices.ContainsFunc(a.Modify, made):
		return fmt.Sprintf("%q bears something, and the step does not create or modify it", b.Path),
			fmt.Sprintf("add  create = [%q]  or  modify = [%[1]q],  or correct the path", b.Path)
	}
	return "", ""
}
