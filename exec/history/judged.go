package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
)

// Judged are judgements, in the order in which the gates were asked. Those that
// object to nothing share a record, as long as they say no more than one gate
// may, and one that objects has a record of its own: [Judged.Facts] sees to
// that.
//
// In JSON they are a list called judged.
type Judged []gate.Judgement

const judgedType = "judged"

func (*Judged) Type() string { return judgedType }

// String names gates that share a record, since they object to nothing, and
// says what the gate says that has one of its own. No controller writes a
// record that is shared by one that objects, but a journal may come from
// anybody.
func (f *Judged) String() string {
	var names, said []string
	idle := 0
	for _, j := range *f {
		if j.Judged() {
			names = append(names, j.Gate)
		} else {
			idle++
		}
		if len(*f) == 1 || j.Verdict == nil || j.Verdict.Result != gate.Passed {
			said = append(said, judgementLine(j))
		}
	}
	if len(said) > 0 {
		return strings.Join(said, "; ")
	}
	if len(names) == 0 {
		return count(idle, "gate") + " had nothing to judge"
	}
	text := count(len(names), "gate") + " passed: " + strings.Join(names, ", ")
	if idle > 0 {
		text += fmt.Sprintf(" · %d had nothing to judge", idle)
	}
	return text
}

// judgementLine is what a gate said, and of several findings the first.
func judgementLine(j gate.Judgement) string {
	text := fmt.Sprintf("%s (%s, level %d): ", j.Gate, j.Phase, j.Level)
	switch {
	case !j.Judged():
		return sprint("%snothing to judge: %s", text, strings.Join(j.Verdict.Evidence, "; "))
	case j.Verdict != nil && len(j.Verdict.Findings) > 0:
		return text + fmt.Sprintf("%s · %s", j.Verdict.Result, j.Verdict.Findings[0].Message)
	case j.Verdict != nil:
		return text + string(j.Verdict.Result)
	case j.Err != nil:
		return text + "undecided: " + j.Err.Error()
	}
	return text + "undecided"
}

// mostSaid is about how many bytes gates that are content say in one record: as
// many as a single one may.
const mostSaid = 1 << 20

// Facts are the facts that record judgements, in their order.
func (f Judged) Facts() []Fact {
	var facts []Fact
	for len(f) > 0 {
		n, said := 1, size(f[0])
		for content(f[0]) && n < len(f) && content(f[n]) {
			if said += size(f[n]); said > mostSaid {
				break // else a record could become larger than a journal takes
			}
			n++
		}
		together := f[:n:n]
		facts, f = append(facts, &together), f[n:]
	}
	return facts
}

// content reports whether a gate has nothing to object.
func content(j gate.Judgement) bool {
	return j.Err == nil && j.Verdict != nil && j.Verdict.Result == gate.Passed && len(j.Verdict.Findings) == 0
}

// size is about how many bytes a gate that is content says.
func size(j gate.Judgement) int {
	n := 128 + len(j.Gate)
	if j.Verdict != nil {
		for _, e := range j.Verdict.Evidence {
			n += len(e) + 3
		}
		for _, c := range j.Verdict.Citations {
			n += len(c.Path) + len(c.Text) + 32
		}
		if j.Verdict.Review != nil {
			n = mostSaid // it has a record of its own
		}
	}
	return n
}

var errNoJudgement = errors.New("there is no judgement")

// MarshalJSON writes them as they stand in a journal; there must be one at
// least.
func (f Judged) MarshalJSON() ([]byte, error) {
	if len(f) == 0 {
		return nil, errNoJudgement
	}
	list := append(make([]byte, 0, 256*len(f)), `{"judged":[`...)
	for i := range f {
		text, err := f[i].MarshalJSON()
		if err != nil {
			return nil, err
		}
		list = append(append(list, text...), ',')
	}
	return append(list[:len(list)-1], "]}"...), nil
}

// UnmarshalJSON reads what MarshalJSON writes, with spaces too.
func (f *Judged) UnmarshalJSON(data []byte) error { return f.read(data, nil) }

// read is UnmarshalJSON. What is known by its text is not read, and what was
// read is known then, unless known is nil.
func (f *Judged) read(data []byte, known map[string]gate.Judgement) error {
	var list struct{ Judged []json.RawMessage }
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if len(list.Judged) == 0 {
		return errNoJudgement
	}
	*f = make(Judged, len(list.Judged))
	for i, text := range list.Judged {
		j, ok := known[string(text)]
		if !ok {
			if err := json.Unmarshal(text, &j); err != nil {
				return err
			}
			if known != nil {
				known[string(text)] = j
			}
		}
		(*f)[i] = j
	}
	return nil
}

func (f *Judged) readBack() Fact {
	if len(*f) == 0 {
		return nil
	}
	read := make(Judged, len(*f))
	for i, j := range *f {
		if j.Err != nil || !kept(j.Gate, string(j.Phase)) {
			return nil
		}
		j.Took = j.Took.Truncate(time.Millisecond)
		if j.Verdict != nil {
			if j.Verdict = readVerdict(*j.Verdict); j.Verdict == nil {
				return nil
			}
		}
		read[i] = j
	}
	return &read
}

// readVerdict is the verdict as a reader of the journal has it, nil where only
// reading tells.
func readVerdict(v gate.Verdict) *gate.Verdict {
	if v.Review != nil {
		return nil
	}
	for _, f := range v.Findings {
		if !kept(f.Code, f.About, f.Path, f.Message, f.Expected, f.Happened) {
			return nil
		}
	}
	for _, c := range v.Citations {
		if !kept(c.Path, c.Text, string(c.Shows)) {
			return nil
		}
	}
	if !kept(string(v.Result)) || !keptAll(v.Evidence) {
		return nil
	}
	v.Findings, v.Evidence, v.Citations = some(v.Findings), some(v.Evidence), some(v.Citations)
	return &v
}
