package acp

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
)

// A bill is what an attempt has cost so far.
type bill struct {
	usage exec.Usage
	base  exec.Money // what the session had cost before
}

// tokens are the counts of a turn, as agents spell them.
type tokens struct {
	input, output, total, cached, thought int64
}

// mostTokens is more than any turn takes.
const mostTokens = 1 << 48

// tokensOf reads counts of tokens, in the field of the protocol or in _meta,
// where agents have them below names of their own.
func tokensOf(v any, depth int) (t tokens, ok bool) {
	object, is := v.(map[string]any)
	if !is || depth > 4 {
		return t, false
	}
	for key, value := range object {
		n, is := value.(float64)
		if !is || n < 0 || n > mostTokens || n != math.Trunc(n) {
			continue
		}
		switch strings.ReplaceAll(strings.ToLower(key), "_", "") {
		case "inputtokens", "prompttokens", "prompttokencount":
			t.input, ok = int64(n), true
		case "outputtokens", "completiontokens", "candidatestokencount":
			t.output, ok = int64(n), true
		case "totaltokens", "totaltokencount":
			t.total = int64(n)
		case "cachedreadtokens", "cachedwritetokens", "cachereadinputtokens", "cachecreationinputtokens":
			t.cached += int64(n)
		case "thoughttokens", "reasoningtokens", "thoughtstokencount":
			t.thought = int64(n)
		}
	}
	if ok {
		return t, true
	}
	for _, key := range sorted(object) {
		if t, ok := tokensOf(object[key], depth+1); ok {
			return t, true
		}
	}
	return t, false
}

// sorted are the names of an object.
func sorted(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// all are the tokens that went in and came out. Some agents count what was
// cached, and what was thought, in the others; the total says so.
func (t tokens) all() (in, out int64) {
	in, out = t.input+t.cached, t.output+t.thought
	switch t.total {
	case t.input + t.output:
		return t.input, t.output
	case t.input + t.output + t.thought:
		return t.input, out
	case t.input + t.output + t.cached:
		return in, t.output
	}
	return in, out
}

// turn adds the tokens of a turn.
func (b *bill) turn(t tokens) {
	in, out := t.all()
	b.usage.InputTokens += in
	b.usage.OutputTokens += out
}

// session is what the session has cost, in all; before says that this was so
// before the attempt began.
func (b *bill) session(dollars float64, before bool) {
	if !(dollars >= 0) || dollars > 1e9 {
		return
	}
	cost := exec.Money(math.Ceil(dollars * 1e6))
	if before {
		b.base = cost
		return
	}
	if cost < b.base { // the agent began to count anew
		b.base = 0
	}
	b.usage.Cost = max(b.usage.Cost, cost-b.base)
}

// dollarsOf is a cost in dollars, in the field of the protocol or in _meta.
func dollarsOf(c *cost, meta any, depth int) (float64, bool) {
	if c != nil && (c.Currency == "" || strings.EqualFold(c.Currency, "USD")) {
		return c.Amount, true
	}
	object, is := meta.(map[string]any)
	if !is || depth > 4 {
		return 0, false
	}
	for _, key := range sorted(object) {
		switch strings.ReplaceAll(strings.ToLower(key), "_", "") {
		case "totalcostusd", "costusd", "totalcost", "cost":
			if n, is := object[key].(float64); is {
				return n, true
			}
		}
	}
	for _, key := range sorted(object) {
		if n, ok := dollarsOf(nil, object[key], depth+1); ok {
			return n, true
		}
	}
	return 0, false
}

// anyOf decodes text, to be looked through.
func anyOf(text json.RawMessage) any {
	var v any
	if len(text) == 0 || json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}
