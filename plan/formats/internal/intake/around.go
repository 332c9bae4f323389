package intake

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/decode"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

var (
	// listed are keys of native plans that a list has in its own way.
	listed = []string{"schema", "meta", "goal", "defaults", "speclets", "tasks"}
	// informs are keys that say where a list comes from. Nobody is to act on them.
	informs = []string{"goal", "context", "description", "meeting_id", "generated_at", "cycle"}
)

// around reads what stands beside the list. The tables of native plans mean the
// same here, and so do the keys of [execution], which need no table; limits and
// env_keys, the names that jobs have for them, are keys of [sandbox]. All else is
// kept as settings, and nothing acts on it.
func (r *reader) around(root jsontree.Value, wrapper string) {
	tables, keys := plan.Names(r.Plan.Visit), plan.ExecutionKeys()
	tables = slices.DeleteFunc(tables, func(name string) bool { return slices.Contains(listed, name) })
	seen := map[string]bool{wrapper: true}
	native := newTable(root)
	execution, sandbox := newTable(root), newTable(root)
	for v := range root.Each {
		key := v.Key()
		if seen[key] || v.Kind() == jsontree.Null {
			continue
		}
		seen[key] = true
		switch {
		case slices.Contains(keys, key):
			execution.Keys = append(execution.Keys, member(v, key))
		case key == "env_keys":
			sandbox.Keys = append(sandbox.Keys, member(v, "env"))
		case key == "limits" && v.Kind() == jsontree.Object:
			sandbox.Keys = append(sandbox.Keys, tree(v).Keys...)
		case key == "limits":
			r.report("value-unfit", plan.Error, v.Offset(), "", "limits is "+v.Kind().String()+", not an object",
				`write  "limits": {"cpu": "1h", "memory": "16GiB"}`)
		case slices.Contains(tables, key):
			native.Keys = append(native.Keys, member(v, key))
		default:
			r.Plan.Settings = append(r.Plan.Settings,
				plan.Setting{Key: "intake." + spelling.QuoteKey(key), Value: setting(v)})
			if !slices.Contains(informs, key) {
				_, why, hint := decode.Strange(key, slices.Concat(keys, []string{"limits", "env_keys"}, tables))
				r.report("key-idle", plan.Warning, v.KeyOffset(), "", "nothing acts on "+key+" beside the list: "+why,
					hint)
			}
		}
	}
	r.put(native, "execution", execution)
	r.put(native, "sandbox", sandbox)
	for _, k := range native.Keys {
		r.Places[k.Name] = r.t.Offset(k.Offset)
	}
	decode.Table(native, r.Plan.Visit, func(f decode.Fault) {
		r.report("value-unfit", plan.Error, f.Offset, "", f.Message, f.Hint)
	})
	if native.Find("profile") == nil {
		r.Plan.Profile = "" // not that of a native plan which does not say it
	}
}

// put adds keys to a table that another has under a name. What is said twice is
// refused.
func (r *reader) put(in *tomltree.Node, name string, more *tomltree.Node) {
	n := in.Find(name)
	if n == nil && len(more.Keys) > 0 {
		n = &tomltree.Node{Kind: tomltree.Table, Offset: more.Keys[0].Offset, At: more.Keys[0].Offset}
		in.Keys = append(in.Keys, tomltree.Key{Name: name, Offset: n.Offset, Value: n})
	}
	if n == nil || n.Kind != tomltree.Table {
		return // nothing is said, or nothing that can be added to, which the reading of it refuses
	}
	for _, k := range more.Keys {
		if n.Find(k.Name) != nil {
			r.report("value-unfit", plan.Error, k.Offset, "", fmt.Sprintf("%s of %s is said twice", k.Name, name),
				"keep one of the two")
			continue
		}
		n.Keys = append(n.Keys, k)
	}
}

// newTable is an empty table, of which a message says that it stands where the
// document does.
func newTable(root jsontree.Value) *tomltree.Node {
	return &tomltree.Node{Kind: tomltree.Table, Offset: root.Offset(), At: root.Offset()}
}

// member is a member of an object under the name that native plans have for it.
func member(v jsontree.Value, name string) tomltree.Key {
	return tomltree.Key{Name: name, Offset: v.KeyOffset(), Value: tree(v)}
}

// tree is a value of JSON as one of TOML, without what is null and without
// members that stand there a second time.
func tree(v jsontree.Value) *tomltree.Node {
	n := &tomltree.Node{Kind: kinds[v.Kind()], Text: v.Text(), Offset: v.Offset(), At: v.Offset()}
	switch v.Kind() {
	case jsontree.Number:
		if _, err := strconv.ParseInt(n.Text, 10, 64); err != nil {
			n.Kind, n.Raw = tomltree.Float, n.Text
		}
	case jsontree.Array:
		n.Text = ""
		for item := range v.Each {
			n.List = append(n.List, tree(item))
		}
	case jsontree.Object:
		n.Text = ""
		seen := map[string]bool{}
		for m := range v.Each {
			if !seen[m.Key()] && m.Kind() != jsontree.Null {
				seen[m.Key()] = true
				n.Keys = append(n.Keys, member(m, m.Key()))
			}
		}
	}
	return n
}

// kinds are the kinds of JSON as those of TOML.
var kinds = [...]string{jsontree.Null: tomltree.String, jsontree.Bool: tomltree.Boolean,
	jsontree.Number: tomltree.Integer, jsontree.String: tomltree.String, jsontree.Array: tomltree.Array,
	jsontree.Object: tomltree.Table}
