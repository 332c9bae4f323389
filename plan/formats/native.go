package formats

import (
	"bytes"
	"fmt"
	"os"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/native"
)

// NativeOptions say how a plan is converted. The zero value knows no workspace
// and refuses plans with errors.
type NativeOptions struct {
	// Dir is the workspace that the plan is for. A file that a task names is
	// declared as modified if it is there, or an earlier task makes it, else as
	// created. Without a workspace, it is declared as modified, and a person
	// must decide.
	Dir string
	// Force converts a plan with errors too, as far as it was read. The errors
	// stand at the top, as comments.
	Force bool
}

// Native writes a draft of any format as a native plan, in the order of the
// source, with comments where a person must decide; these begin with "decide:"
// and hold the line to add.
//
// Reading the text gives the same plan: its profile observe, ids, order, words,
// checks, and all settings, those of no native table below [metadata]. On top
// of that
//
//   - the files that a task names become artifacts of its step, or of the only
//     one of its steps that names them; else they are a comment at the task.
//     So do the files in the text of a step that tells to write them;
//   - a dependency on what the plan has not becomes a comment;
//   - a criterion that a machine can decide without doubt ("`make test` passes", "`a.txt` exists") becomes a check of
//     [completion_criteria] too; the others become the expected_output of the task's last step, if it says none;
//   - a plan without a goal is given one of its name, because a native plan must have one.
//
// Statuses become comments. A native plan that was not edited is returned as it
// was read, so that converting twice changes nothing. The text is always one
// that [plan.Read] reads without findings.
//
// The error is a *[plan.CheckError] of a plan with errors, and of a draft of
// which nothing was read that a plan could be made of, a *[plan.SizeError], or
// that of a workspace that cannot be opened.
func Native(d *plan.Draft, o NativeOptions) ([]byte, error) {
	faults := faultsOf(d)
	if d.Format == plan.Unknown || d.Plan.Goal == "" && len(d.Plan.Tasks) == 0 {
		return nil, &plan.CheckError{Diagnostics: append(faults, plan.Diagnostic{Code: "no-tasks", Severity: plan.Error,
			Message: "there is nothing in it that a plan could be made of", Hint: wouldRead, Pos: d.Position("")})}
	}
	if len(faults) > 0 && !o.Force {
		return nil, &plan.CheckError{Diagnostics: faults}
	}
	if text := unedited(d); text != nil {
		return text, nil
	}
	c := &conversion{d: d, p: d.Plan, remarks: map[string][]string{}}
	if o.Dir != "" {
		root, err := os.OpenRoot(o.Dir)
		if err != nil {
			return nil, fmt.Errorf("formats: %w", err)
		}
		defer root.Close()
		c.root = root
	}
	if d.Format != plan.Native {
		c.all(faults)
	}
	text := native.Write(&c.p, c.remarks)
	back, err := native.Read("plan.toml", text)
	if err != nil {
		return nil, err
	}
	if len(back.Found) > 0 {
		return nil, fmt.Errorf("formats: what was written cannot be read: %v", back.Found[0])
	}
	return text, nil
}

// unedited returns the text that a native plan was read from, without a byte
// order mark, as long as the draft's plan is the one that stands there. It is
// nil for other drafts, and for a text that could not be read to its end.
func unedited(d *plan.Draft) []byte {
	texts := d.Texts()
	if d.Format != plan.Native || len(texts) != 1 || d.Broken() {
		return nil
	}
	stands, err := native.Read(texts[0].Path, texts[0].Text)
	if err != nil || stands.Plan.Digest() != d.Plan.Digest() {
		return nil
	}
	return bytes.Clone(outline.Body(texts[0].Text))
}

// faultsOf are the errors of a draft.
func faultsOf(d *plan.Draft) []plan.Diagnostic {
	var list []plan.Diagnostic
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Severity == plan.Error {
			list = append(list, f)
		}
	}
	return list
}
