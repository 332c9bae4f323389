package plan

import (
	"path"
	"strings"
)

// SummaryName is what the summary of a NAME-PLAN.md is called that lies beside
// it: 04-01-SUMMARY.md for 04-01-PLAN.md, also where a folder stands before it,
// with slashes or backslashes. A file that is not called so has -SUMMARY behind
// its name.
func SummaryName(file string) string {
	stem := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".md")
	if at := strings.LastIndex(stem, "PLAN"); at >= 0 {
		return stem[:at] + "SUMMARY" + stem[at+len("PLAN"):] + ".md"
	}
	return stem + "-SUMMARY.md"
}
