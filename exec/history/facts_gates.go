package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/planlock/planlock/gate"
)

// Gates are judgements, in the order in which the gates were asked. Those that object to nothing share a record, as long as they say no
// more than one gate may, and one that has something to object has one of its own: that is what [Judged] makes.
//
// In JSON one judgement stands by itself, as each did in journals of earlier versions, and several are a list called judged.
type Gates []gate.Judgement

// Judged are the facts that record judgements, in their order.
func Judged(judged []gate.Judgement) []Fact {
	var facts []Fact
	for len(judged) > 0 {
		n, said := 1, size(judged[0])
		for content(judged[0]) && n < len(judged) && content(judged[n]) {
			if said += size(judged[n]); said > gate.MaxReport {
				break // else a record could become larger than a journal takes
			}
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
	}
	return n
}

// How the JSON of one judgement and of several begins, as MarshalJSON writes it.
const (
	single  = `{"gate":`
	several = `{"judged":[`
)

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

// UnmarshalJSON reads what MarshalJSON writes, with spaces too.
func (g *Gates) UnmarshalJSON(data []byte) error { return g.read(data, nil) }

// read is UnmarshalJSON. What is known by its text is not read, and what was read is known then, unless known is nil.
func (g *Gates) read(data []byte, known map[string]gate.Judgement) error {
	texts := []json.RawMessage{data}
	if !bytes.HasPrefix(data, []byte(single)) {
		list := struct{ Judged []json.RawMessage }{[]json.RawMessage{nil}} // it stays that where there is no list
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		switch {
		case len(list.Judged) == 0:
			return errNoJudgement
		case list.Judged[0] != nil:
			texts = list.Judged
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
