package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// summarised notes which plans of a phase have a summary beside them that says
// that they are done, and tells so: nothing is taken for done because of it.
func summarised(d *plan.Draft) (found []plan.Diagnostic) {
	speclets := d.Plan.Speclets
	if d.Format != phase.Format || len(d.Files) != max(1, len(speclets)) {
		return nil
	}
	for i, f := range d.Files {
		name := plan.SummaryName(f.Path)
		done, err := completed(filepath.Join(filepath.Dir(f.Path), name))
		at := plan.Position{File: f.Path, Line: 1, Column: 1}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			found = append(found, plan.Diagnostic{Code: "summary-unread", Severity: plan.Warning, Pos: at,
				Message: fmt.Sprintf("%s lies beside the plan, and cannot be read: %v", name, err),
				Hint:    "mend it, or move it away"})
			continue
		case !done:
			found = append(found, plan.Diagnostic{Code: "summary-beside", Severity: plan.Note, Pos: at,
				Message: name + " lies beside the plan, and says that not all of it is done: all of it is carried out",
				Hint:    "what a run completed is taken over by a run that finishes it"})
			continue
		}
		for j := range d.Plan.Tasks {
			if len(speclets) == 0 || slices.Contains(speclets[i].Tasks, d.Plan.Tasks[j].ID) {
				d.Plan.Tasks[j].Summary = name
			}
		}
		found = append(found, plan.Diagnostic{Code: "summary-beside", Severity: plan.Note, Pos: at,
			Message: name + " says that the plan is done: " +
				"a run looks whether its checks hold, leaves out what does, and carries out the rest",
			Hint: "to have all of it carried out, move the summary away"})
	}
	return found
}

// completed reads a summary.
func completed(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if info.Size() > maxLooked {
		return false, fmt.Errorf("it has %d bytes, more than %d", info.Size(), maxLooked)
	}
	text, err := file.Read(path)
	return err == nil && phase.Completed(path, text), err
}
