// Package reviewdoc reads the JSON document in which a reviewer approves or
// rejects a task. Readers of plans report where it is wrong; gates decide by
// it. Both must read the same from the same text, so there is one reader.
package reviewdoc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/internal/jsontree"
)

// maxSize is how many bytes a document may have.
const maxSize = 16 << 20

// A Document is what one reviewer says about a task.
type Document struct {
	Root     jsontree.Value // no value if the text is not JSON
	Verdict  string         // as written
	Critical []string       // flags; any of them rejects
	Warnings []string       // flags
	Checks   []Check        // in the order in which they were written
	Jobs     []Job
	ReadyJob string // digest of an offered job that is to run, "" without

	// Faults are what is missing in the document or cannot be read. All but
	// warnings reject.
	Faults []Fault
}

// A Check of a document, its value as written in JSON.
type Check struct{ Name, Value string }

// A Job is one that a reviewer proposes to run.
type Job struct {
	ID, Entry string
	Args      string // as written in JSON, "" without
	Artifacts []string
	EnvKeys   []string
}

// A Fault is one thing that is wrong with a document.
type Fault struct {
	Code, Message, Hint string
	Warning             bool // it says too little, and does not reject by itself
	Offset              int  // byte at which it stands
}

// Approve is the only verdict that approves.
const Approve = "APPROVE"

var verdicts = []string{Approve, "REJECT", "CONDITIONAL"}

// Read reads a document. It never fails: what cannot be read is in Faults.
func Read(text string) *Document {
	d := &Document{}
	if len(text) > maxSize {
		d.fault("contract-too-large", 0, fmt.Sprintf("the contract has %d bytes, more than %d", len(text), maxSize),
			"leave logs out of it")
		return d
	}
	root, err := jsontree.ParseAll(text)
	var bad *jsontree.Error
	if errors.As(err, &bad) {
		d.fault("json-parse-error", bad.Offset, "this is not JSON: "+bad.Reason,
			"mend this place; until then the contract rejects")
		return d
	}
	d.Root = root
	d.verdict()
	d.Critical = d.flags("critical")
	d.Warnings = d.flags("warnings")
	for v := range root.Get("checks").Each {
		d.Checks = append(d.Checks, Check{v.Key(), v.Raw()})
	}
	d.jobs(root.Get("proposed_jobs"))
	ready := root.Get("ready_job")
	d.ReadyJob = ready.Text()
	if ready.OK() && ready.Kind() != jsontree.Null && (ready.Kind() != jsontree.String || d.ReadyJob == "") {
		d.warn("contract-jobs-invalid", ready.Offset(), "/ready_job is not the digest of a ready job",
			`write  "ready_job": "sha256:…", as it was offered, or leave it out`)
	}
	return d
}

func (d *Document) fault(code string, at int, message, hint string) {
	d.Faults = append(d.Faults, Fault{Code: code, Message: message, Hint: hint, Offset: at})
}

func (d *Document) warn(code string, at int, message, hint string) {
	d.fault(code, at, message, hint)
	d.Faults[len(d.Faults)-1].Warning = true
}

// verdict reads the verdict. Two of them are none, since readers differ in
// which of two members counts.
func (d *Document) verdict() {
	v := d.Root.Get("verdict")
	d.Verdict = v.Text()
	const hint = `write  "verdict": "APPROVE", "REJECT" or "CONDITIONAL"`
	n := 0
	for member := range d.Root.Each {
		if member.Key() == "verdict" {
			n++
		}
	}
	switch {
	case !v.OK():
		d.fault("contract-verdict-missing", d.Root.Offset(), "the contract has no verdict, so it rejects", hint)
	case n > 1:
		d.fault("contract-verdict-invalid", v.KeyOffset(), "the contract has more than one verdict, so it rejects",
			hint)
	case v.Kind() != jsontree.String || !slices.Contains(verdicts, d.Verdict):
		d.fault("contract-verdict-invalid", v.Offset(),
			fmt.Sprintf("the verdict is %s, so the contract rejects", v.Raw()), hint)
	}
}

// flags reads a list of flags; whatever is in it counts. Without a list of
// critical flags nobody knows that there are none.
func (d *Document) flags(name string) []string {
	flags := d.Root.Get("flags")
	v := flags.Get(name)
	if v.Kind() != jsontree.Array {
		at, report := d.Root.Offset(), d.warn
		if name == "critical" {
			report = d.fault
		}
		if flags.OK() {
			at = flags.KeyOffset()
		}
		if v.OK() {
			at = v.KeyOffset()
		}
		report("contract-flags-missing", at, fmt.Sprintf("/flags/%s is not a list", name),
			fmt.Sprintf(`write  "flags": {"%s": []}`, name))
		return nil
	}
	list := []string{}
	for f := range v.Each {
		text := f.Raw()
		if f.Kind() == jsontree.String {
			text = f.Text()
		}
		list = append(list, text)
	}
	return list
}

// jobs reads the proposed jobs. One that lacks what a job has is read, with a
// warning: who reviews it is to see it.
func (d *Document) jobs(v jsontree.Value) {
	if v.OK() && v.Kind() != jsontree.Array {
		d.warn("contract-jobs-invalid", v.Offset(), "/proposed_jobs is not a list", `write  "proposed_jobs": []`)
		return
	}
	for j := range v.Each {
		job := Job{ID: j.Get("id").Text(), Entry: j.Get("entry").Text(), Args: j.Get("args").Raw()}
		for a := range j.Get("expected_artifacts").Each {
			job.Artifacts = append(job.Artifacts, a.Text())
		}
		for name := range j.Get("env_keys").Each {
			job.EnvKeys = append(job.EnvKeys, name.Text())
		}
		if job.ID == "" || job.Entry == "" {
			d.warn("contract-jobs-invalid", j.Offset(), "a proposed job has no id or no entry",
				`write  {"id": "…", "entry": "…"}`)
		} else if j.Get("args").Kind() != jsontree.Object || j.Get("expected_artifacts").Kind() != jsontree.Array {
			d.warn("contract-jobs-invalid", j.Offset(), "a proposed job has no args, an object, or no expected_artifacts, a list",
				`write  "args": {}, "expected_artifacts": []`)
		}
		d.Jobs = append(d.Jobs, job)
	}
}
