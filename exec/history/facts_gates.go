package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/planlock/planlock/gate"
)

// Gates are judgements, in the order in which the gates were asked. Those that object to nothing share a record, and one that
// has something to say has one of its own: that is what [Judged] makes.
//
// In JSON one judgement stands by itself, as each did in journals of earlier versions, and several are a list called judged.
type Gates []gate.Judgement

// Judged are the facts that record judgements, in their order.
func Judged(judged []gate.Judgement) []Fact {
	var facts []Fact
	for len(judged) > 0 {
		n := 1
		for content(judged[0]) && n < len(judged) && content(judged[n]) {
			n++
		}
		together := Gates(judged[:n:n])
		facts, judged = append(facts, &together), judged[n:]
	}
	return facts
}

// content reports whether a gate has nothing to object.
func content(j gate.Judgement) bool {
	return j.Err == nil && j.Verdict != nil && j.Verdict.Result == gate.Passed && len(j.Verdict.Findings) == 0
}

// several is how the JSON of several judgements begins.
const several = `{"judged":[`

var errNoJudgement = errors.New("there is no judgement")

// MarshalJSON writes them as they stand in a journal; there must be one at least.
func (g Gates) MarshalJSON() ([]byte, error) {
	switch len(g) {
	case 0:
		return nil, errNoJudgement
	case 1:
		return g[0].MarshalJSON()
	}
	list := append(make([]byte, 0, 256*len(g)), several...)
	for i := range g {
		text, err := g[i].MarshalJSON()
		if err != nil {
			return nil, err
		}
		list = append(append(list, text...), ',')
	}
	return append(list[:len(list)-1], "]}"...), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (g *Gates) UnmarshalJSON(data []byte) error { return g.read(data, nil) }

// read is UnmarshalJSON. What is known by its text is not read, and what was read is known then, unless known is nil.
func (g *Gates) read(data []byte, known map[string]gate.Judgement) error {
	texts := []json.RawMessage{data}
	if bytes.HasPrefix(data, []byte(several)) {
		var list struct{ Judged []json.RawMessage }
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		if texts = list.Judged; len(texts) == 0 {
			return errNoJudgement
		}
	}
	*g = make(Gates, len(texts))
	for i, text := range texts {
		j, ok := known[string(text)]
		if !ok {
			if err := json.Unmarshal(text, &j); err != nil {
				return err
			}
			if known != nil {
				known[string(text)] = j
			}
		}
		(*g)[i] = j
	}
	return nil
}

func (g *Gates) readBack() Fact {
	if len(*g) == 0 {
		return nil
	}
	read := make(Gates, len(*g))
	for i, j := range *g {
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
