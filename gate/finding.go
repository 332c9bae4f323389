package gate

import (
	"fmt"
	"slices"
)

// reporting is where findings go. A pass that was made by hand gets its report
// when the first one comes.
func (p *Pass) reporting() *report {
	if p.report == nil {
		p.report = &report{}
	}
	return p.report
}

// Verdict is what the findings so far come to: fail if anything was objected
// to, partial if something is only partly as it should be, a fail that stops
// nothing if all of it is tolerated, else pass. It is
// bounded as Gate says; what is left out is counted at the end. The slices are
// the caller's own; the review nobody changes.
func (p *Pass) Verdict() Verdict {
	r := p.reporting()
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.verdict
	v.Findings = slices.Clone(v.Findings)
	v.Evidence = slices.Clone(v.Evidence)
	v.Citations = slices.Clone(v.Citations)
	r.limited.tell(&v)
	v.Idle = r.idle && !r.looked
	switch {
	case r.failed:
		v.Result = Fail
	case r.partly:
		v.Result = Partial
	case len(v.Findings) > 0:
		v.Result, v.Tolerated = Fail, true
	default:
		v.Result = Passed
	}
	return v
}

// Reportf objects. path may be "".
func (p *Pass) Reportf(path, format string, args ...any) {
	p.Report(Finding{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Report objects.
func (p *Pass) Report(f Finding) {
	r := p.reporting()
	r.add(func(v *Verdict) {
		r.failed = true
		r.limited.addFinding(v, f)
	})
}

// Partialf says that something is only partly as it should be. At level 1 and 2
// that blocks as well: every criterion must hold. It is for the reader of the
// report, who sees that the work is on its way.
func (p *Pass) Partialf(path, format string, args ...any) {
	p.Partially(Finding{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Partially says what [Pass.Partialf] says, of a finding.
func (p *Pass) Partially(f Finding) {
	r := p.reporting()
	r.add(func(v *Verdict) {
		r.partly = true
		r.limited.addFinding(v, f)
	})
}

// Tolerate says that something does not hold, and that the plan goes on without
// it. Where nothing else is objected to, the gate fails, and blocks nothing:
// every reader of the run sees it.
func (p *Pass) Tolerate(f Finding) {
	r := p.reporting()
	r.add(func(v *Verdict) { r.limited.addFinding(v, f) })
}

// Evidencef adds to what the verdict rests on.
func (p *Pass) Evidencef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r := p.reporting()
	r.add(func(v *Verdict) { r.limited.addEvidence(v, text) })
}

// Nothingf says why there is nothing to judge, as where the plan asks for
// nothing. A gate that says no more than that passes, is not counted among those
// that judged, and counts for nothing that it could have shown. What it says is
// kept as evidence.
func (p *Pass) Nothingf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r := p.reporting()
	r.note(&r.idle, func(v *Verdict) { r.limited.addEvidence(v, text) })
}

// Cite adds a citation.
func (p *Pass) Cite(c Citation) {
	r := p.reporting()
	r.add(func(v *Verdict) { r.limited.addCitation(v, c) })
}

// Close ends the report: what the gate still says is dropped.
func (p *Pass) Close() {
	r := p.reporting()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}
