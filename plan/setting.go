package plan

import (
	"strings"

	"github.com/planlock/planlock/plan/internal/spelling"
)

// Under are the settings of a free table that stand under one of its keys, with
// their keys from there on: one, whose key is key, or as many as the table
// there has, as in "latency.max". There are none where the plan has no such
// key.
func (p *Plan) Under(table, key string) []Setting {
	var found []Setting
	for _, s := range p.Settings {
		rest, ok := strings.CutPrefix(s.Key, table+".")
		if !ok {
			continue
		}
		for _, spelled := range []string{spelling.QuoteKey(key), key} {
			if after, ok := strings.CutPrefix(rest, spelled); ok && (after == "" || after[0] == '.') {
				found = append(found, Setting{Key: key + after, Value: s.Value})
				break
			}
		}
	}
	return found
}

// Plain is the value for people: a text without quotes, the elements of a list
// behind each other.
func (v Value) Plain() string {
	if v.Kind != kindArray && v.Kind != kindTable {
		return v.Text
	}
	parts := make([]string, len(v.List))
	for i, part := range v.List {
		parts[i] = part.Plain()
	}
	return strings.Join(parts, ", ")
}
