package gate

import (
	"fmt"
	"unicode/utf8"

	"github.com/planlock/planlock/internal/code"
)

// What is kept of one gate's report on one pass, whatever the gate says: it
// goes into the journal of the run, and is read by people. More is counted and
// left out.
const (
	maxFindings = 200     // findings; evidence and citations, each by themselves
	maxText     = 4 << 10 // bytes of one text; the rest of it is counted
	maxReport   = 1 << 20 // bytes of all texts together
)

// limited counts what a report has no room for.
type limited struct {
	bytes                         int
	findings, evidence, citations int
}

// room takes the bytes of some texts if there is room for them beside kept
// others.
func (l *limited) room(kept int, texts ...*string) bool {
	if kept >= maxFindings {
		return false
	}
	n := 0
	for _, t := range texts {
		*t = cut(*t)
		n += len(*t)
	}
	if l.bytes+n > maxReport {
		return false
	}
	l.bytes += n
	return true
}

// addFinding adds a finding, cut to what a journal takes, or counts it where
// there are enough.
func (l *limited) addFinding(v *Verdict, f Finding) {
	if !l.room(len(v.Findings), &f.Code, &f.About, &f.Path, &f.Message, &f.Expected, &f.Happened) {
		l.findings++
		return
	}
	v.Findings = append(v.Findings, f)
}

// addEvidence does the same with a line of evidence.
func (l *limited) addEvidence(v *Verdict, text string) {
	if !l.room(len(v.Evidence), &text) {
		l.evidence++
		return
	}
	v.Evidence = append(v.Evidence, text)
}

// addCitation does the same with a citation.
func (l *limited) addCitation(v *Verdict, c Citation) {
	if !l.room(len(v.Citations), &c.Path, &c.Text) {
		l.citations++
		return
	}
	v.Citations = append(v.Citations, c)
}

// tell adds to a verdict how much was left out of it.
func (l *limited) tell(v *Verdict) {
	if l.findings > 0 {
		v.Findings = append(v.Findings, Finding{Code: code.More, Message: fmt.Sprintf("and %d more findings, which are left out", l.findings)})
	}
	if l.evidence > 0 {
		v.Evidence = append(v.Evidence, fmt.Sprintf("and %d more lines of evidence, which are left out", l.evidence))
	}
	if l.citations > 0 {
		v.Evidence = append(v.Evidence, fmt.Sprintf("and %d more citations, which are left out", l.citations))
	}
}

// cut shortens a text to at most maxText bytes and says how many it lost. A
// text that was cut stays as it is.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	at := maxText - 64 // room for what is said of the rest
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s… (%d bytes more)", text[:at], len(text)-at)
}
