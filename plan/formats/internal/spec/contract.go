package spec

import (
	"slices"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/decode"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// A kind of table says how messages call its keys, and what is done with them.
type kind struct {
	name string
	// free says that keys of this kind are in use with other meanings as well:
	// a value that a native plan cannot have is none that acts, and no error.
	free bool
	// judged are keys that only rules look at.
	judged []string
}

var (
	ofTop     = kind{name: "the parameters", free: true, judged: []string{"last_updated"}}
	ofGoal    = kind{name: "[goal]", judged: []string{"singular"}}
	ofTask    = kind{name: "[[tasks]]", free: true, judged: []string{"critical_balance"}}
	ofStep    = kind{name: "[[tasks.steps]]"}
	ofBackup  = kind{name: "[[tasks.steps.backups]]"}
	ofSpeclet = kind{name: "[[speclets]]", free: true}
	ofWhole   = kind{name: "[completion_criteria]"}
)

// An idle key is one that nothing acts on: its name, and the kind of table that
// it stands in.
type idle struct{ of, name string }

// A shirk is an idle key where it first stands, and how often it does.
type shirk struct {
	idle
	at, times  int
	task, step string
	why, hint  string
}

// native reads the keys of a table that this format has no spelling of its own
// for into what visit tells, as a native plan has them: they mean the same
// here, and they act. It returns where they stand. What neither knows is
// returned as settings, which nothing acts on; so is a value that cannot be
// taken, of a kind that is free. Steps stand on top of what [defaults] says.
func (h *half) native(of kind, n *tomltree.Node, task, step string, visit func(plan.Visitor), read []string) (
	keys []tomltree.Key, rest []plan.Setting) {
	known, own := h.nativeNames(of, visit), wordSet(read)
	for _, key := range n.Keys {
		switch name := key.Name; {
		case own(name):
		case slices.Contains(known, name):
			keys = append(keys, key)
		default:
			rest = key.Value.Settings(rest, spelling.QuoteKey(name))
			if !slices.Contains(of.judged, name) {
				h.idle(idle{of: of.name, name: name}, key.Offset, task, step, func() (why, hint string) {
					_, why, hint = decode.Strange(name,
						slices.Concat(read, slices.DeleteFunc(slices.Clone(known), own)))
					return why, hint
				})
			}
		}
	}
	if len(keys) == 0 {
		return nil, rest
	}
	decode.Table(&tomltree.Node{Kind: tomltree.Table, At: n.At, Offset: n.Offset, Keys: keys}, visit,
		func(f decode.Fault) {
			own := slices.IndexFunc(keys, func(k tomltree.Key) bool { return k.Value.Offset == f.Offset })
			if of.free && own >= 0 {
				key := keys[own]
				rest = key.Value.Settings(rest, spelling.QuoteKey(key.Name))
				h.idle(idle{of: of.name, name: key.Name}, key.Offset, task, step,
					func() (string, string) { return f.Message, f.Hint })
				return
			}
			if len(h.unfit) < maxFaults {
				h.unfit = append(h.unfit, unfit{f, task, step})
			}
		})
	return keys, rest
}

// An unfit value is none that its key can have.
type unfit struct {
	decode.Fault
	task, step string
}

// texts reads a list of texts, or one; anything else in it is refused.
func (h *half) texts(n *tomltree.Node, name, task string) []string {
	v := n.Find(name)
	if v == nil {
		return nil
	}
	items := []*tomltree.Node{v}
	if v.Kind == tomltree.Array {
		items = v.List
	}
	for _, item := range items {
		if item.Kind != tomltree.String && len(h.unfit) < maxFaults {
			h.unfit = append(h.unfit, unfit{decode.Fault{Offset: item.Offset,
				Message: name + " has " + shown(item) + ", which is no text",
				Hint:    `write texts in quotes, as in  ` + name + ` = ["…"]`}, task, ""})
		}
	}
	return textsOf(itemsOf(v))
}

// nativeNames are the keys that native plans have in a kind of table.
func (h *half) nativeNames(of kind, visit func(plan.Visitor)) []string {
	if h.known[of.name] == nil {
		if h.known == nil {
			h.known = map[string][]string{}
		}
		h.known[of.name] = plan.Names(visit)
	}
	return h.known[of.name]
}

// idle notes a key that nothing acts on; explain is asked once for all of one
// name.
func (h *half) idle(key idle, at int, task, step string, explain func() (why, hint string)) {
	if h.idleAt == nil {
		h.idleAt = map[idle]int{}
	}
	if i, ok := h.idleAt[key]; ok {
		h.shirks[i].times++
		return
	}
	if len(h.shirks) == maxFaults {
		h.unlisted++
		return
	}
	h.idleAt[key] = len(h.shirks)
	why, hint := explain()
	h.shirks = append(h.shirks, shirk{key, at, 1, task, step, why, hint})
}

// inherit gives a step what [defaults] says. That was judged on its own.
func (h *half) inherit(s *plan.Step) {
	if h.defaults != nil {
		decode.Table(h.defaults, s.Visit, func(decode.Fault) {})
	}
}

// wordSet tells whether a word is among some.
func wordSet(words []string) func(string) bool {
	if len(words) < 50 {
		return func(word string) bool { return slices.Contains(words, word) }
	}
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return func(word string) bool { return set[word] }
}
