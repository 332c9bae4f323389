package types

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// covered reports whether the tests of a folder may be open: an intent whose
// test covers it waits for a later step.
func covered(pass *gate.Pass, folder string) bool {
	if pass.Step == nil {
		return false
	}
	if t := pass.Step.TestIntent; t != nil && covers(t.Test, folder) {
		return true
	}
	return slices.ContainsFunc(pass.OpenIntents, func(t *plan.TestIntent) bool {
		return t.FixedBy != pass.Step.Address && covers(t.Test, folder)
	})
}

// covers reports whether a test command looks at a folder. A command that names
// no folder is not understood and covers all.
func covers(test, folder string) bool {
	named := false
	for _, word := range strings.Fields(test) {
		word = strings.Trim(word, `'"`)
		if !strings.HasPrefix(word, ".") {
			continue
		}
		named = true
		stem, below := strings.CutSuffix(word, "...")
		stem = path.Clean(stem)
		if stem == "." {
			stem = ""
		}
		if folder == stem || below && (stem == "" || strings.HasPrefix(folder, stem+"/")) {
			return true
		}
	}
	return !named && (folder == "" || !bareGoTest(test))
}

// bareGoTest reports whether a command is go test without packages, which means
// the root.
func bareGoTest(test string) bool {
	return strings.HasPrefix(strings.TrimSpace(test), "go test") && !strings.ContainsAny(test, ";&|/")
}
