package plan

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
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

// Named is what the plan says of keys of a free table, a line each, as in
// "latency: below 50 ms"; of a key that it does not have, the name alone.
func (p *Plan) Named(table string, keys []string) []string {
	var lines []string
	for _, key := range keys {
		said := p.Under(table, strings.TrimPrefix(key, table+"."))
		if len(said) == 0 {
			lines = append(lines, key) // the name alone tells something
		}
		for _, s := range said {
			lines = append(lines, fmt.Sprintf("%s: %s", s.Key, s.Value.Plain()))
		}
	}
	return lines
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
