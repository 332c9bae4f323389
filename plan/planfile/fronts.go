package planfile

import (
	"github.com/planlock/planlock/plan"
)

// fronts lists the readers of other formats, in the order in which they are asked.
func fronts() []front {
	return []front{}
}

// pair reads both halves of a SPEC.
func (l loader) pair(markdown, toml plan.Text) (*plan.Draft, error) {
	return unknown(markdown.Path, markdown.Text)
}

// phases reads all NAME-PLAN.md of a folder as one plan.
func (l loader) phases(dir string, files []plan.Text) (*plan.Draft, error) {
	return unknown(dir, nil)
}
