package plan

import (
	"sort"
	"strconv"
	"strings"
)

// flatten adds the leaves below n, whose dotted key is key. A table without keys is a leaf.
func flatten(to []Setting, key string, n *node) []Setting {
	if n.kind != kindTable || len(n.keys) == 0 {
		return append(to, Setting{Key: key, Value: valueOf(n)})
	}
	for _, m := range n.keys {
		to = flatten(to, key+"."+QuoteKey(m.name), m.value)
	}
	return to
}

func valueOf(n *node) Value {
	v := Value{Kind: n.kind, Text: n.text}
	switch n.kind {
	case kindArray:
		v.List = make([]Value, len(n.list))
		for i, item := range n.list {
			v.List[i] = valueOf(item)
		}
	case kindTable:
		keys := append([]member(nil), n.keys...)
		sort.Slice(keys, func(i, j int) bool { return keys[i].name < keys[j].name })
		v.List = make([]Value, 0, 2*len(keys))
		for _, m := range keys {
			v.List = append(v.List, Value{Kind: kindString, Text: m.name}, valueOf(m.value))
		}
	}
	return v
}

func sortSettings(s []Setting) {
	sort.Slice(s, func(i, j int) bool { return s[i].Key < s[j].Key })
}

// QuoteKey spells a name as it stands in a dotted key.
func QuoteKey(name string) string {
	bare := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
	if bare {
		return name
	}
	return strconv.Quote(name)
}
