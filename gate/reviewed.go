package gate

import "context"

// A Review is what a reviewer said of each criterion of a step. It is a claim:
// what of it can be held against the tree, the gate that asked has held against
// it.
type Review struct {
	Reviewer string      `json:"reviewer"`           // its name
	Identity string      `json:"identity,omitempty"` // see Identified; "" if nobody can tell
	Criteria []Criterion `json:"criteria"`           // all that it was asked about, in order
}

// A Criterion is one that a step was reviewed by, and what became of it.
type Criterion struct {
	Text      string     `json:"text"`
	Met       *bool      `json:"met"` // nil: the reviewer did not judge it
	Note      string     `json:"note,omitempty"`
	Citations []Citation `json:"citations,omitempty"` // all of them are there
}

// Shown says what a citation quotes, of what a step is about.
type Shown string

const (
	ShowsChange Shown = "changed" // something that the step changed
	ShowsNamed  Shown = "named"   // a path that the step, its task or the criterion names
)

// Identified is implemented by executors and reviewers that can be told from
// others. Identity is the same for two that are the same program with the same
// arguments, or else by all that anybody knows: whoever reviews is not the one
// that it reviews. "" says that nobody can tell. It may be called concurrently.
type Identified interface {
	Identity(ctx context.Context) (string, error)
}

// Bounds of a review, beside those of any report.
const (
	maxCriteria = 200
	maxCited    = 20 // citations of one criterion
)

// Reviewed adds what a reviewer said of each criterion to the verdict; a later
// review takes the place of an earlier one. What is more than 200 criteria, or
// 20 citations of one of them, or finds no room in the report is left out, so
// that the review counts for less and never for more. The pass keeps nothing
// of what review refers to.
func (p *Pass) Reviewed(review Review) {
	r := p.reporting()
	r.add(func(v *Verdict) { v.Review = r.limited.review(review) })
}

// review is a review cut to what a journal takes.
func (l *limited) review(r Review) *Review {
	kept := &Review{Reviewer: cut(r.Reviewer), Identity: cut(r.Identity), Criteria: []Criterion{}}
	for _, c := range r.Criteria[:min(len(r.Criteria), maxCriteria)] {
		own := Criterion{Text: c.Text, Note: c.Note}
		if !l.room(0, &own.Text, &own.Note) {
			own.Text, own.Note = "", ""
		}
		if c.Met != nil {
			met := *c.Met
			own.Met = &met
		}
		for _, cited := range c.Citations[:min(len(c.Citations), maxCited)] {
			if l.room(0, &cited.Path, &cited.Text) {
				own.Citations = append(own.Citations, cited)
			}
		}
		kept.Criteria = append(kept.Criteria, own)
	}
	return kept
}
