package cmd

import (
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/report"
)

// checkJSON is the document of "check --format json".
type checkJSON struct {
	report.Document
	Already *[]alreadyJSON `json:"already,omitempty"` // of check --dir
}

// alreadyJSON is a step of "check --dir" whose work seems to be there.
type alreadyJSON struct {
	Step        plan.Address `json:"step"`
	Acknowledge string       `json:"acknowledge"` // behind --ack it leaves the step out
	Evidence    []string     `json:"evidence"`
}

// alreadyDocument is null where no workspace was named.
func alreadyDocument(done []exec.Already, dir string) *[]alreadyJSON {
	if dir == "" {
		return nil
	}
	list := []alreadyJSON{}
	for _, a := range done {
		list = append(list, alreadyJSON{a.Step, a.Code, a.Evidence})
	}
	return &list
}
