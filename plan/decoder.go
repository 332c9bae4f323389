package plan

import (
	"fmt"
	"slices"
	"strings"
)

// A decoder carries what decoding a tree needs everywhere: where to report, and what it is at.
type decoder struct {
	src      *source
	found    *findings
	key      *member // whose value is being read
	silent   bool    // while values are read that were judged before
	defaults *node   // what steps inherit, or nil
	// ids of the task and step that is being read
	task, step string
}

func (d *decoder) add(code string, offset int32, message, hint string) {
	if d.silent {
		return
	}
	d.found.addFor(code, d.src.position(offset), message, hint, d.task, d.step)
}

func (d *decoder) wrong(n *node, want string) {
	d.add("value-type", n.offset, fmt.Sprintf("%s is %s, not %s", d.key.name, kindName[n.kind], want), "write "+want)
}

// placeholder warns of a text that was left for somebody to fill in.
func (d *decoder) placeholder(n *node) {
	if t := strings.TrimSpace(n.text); t == "…" || t == "..." || strings.HasPrefix(t, "…/") {
		d.add("placeholder-value", n.offset, fmt.Sprintf("%s is %q, which was left to be filled in", d.key.name, n.text), "write what is meant")
	}
}

var kindName = map[string]string{
	kindString: "text", kindInteger: "an integer", kindFloat: "a number with a fraction", kindBoolean: "true or false",
	kindDatetime: "a date or time", kindArray: "a list", kindTable: "a table",
}

// unknown reports a key that is not one of names.
func (d *decoder) unknown(m *member, names []string) {
	for _, name := range names {
		if strings.EqualFold(name, m.name) {
			d.add("key-case", m.offset, fmt.Sprintf("%q is spelled %q", m.name, name), "keys are spelled exactly so: "+name)
			return
		}
	}
	hint := "known here: " + strings.Join(names, ", ")
	if now, ok := otherNames[m.name]; ok && slices.Contains(names, now) {
		hint = fmt.Sprintf("write %q", now)
	} else if near := nearest(m.name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.add("key-unknown", m.offset, fmt.Sprintf("the key %q is not known here", m.name), hint)
}

// otherNames are names that plans for other tools use, and what they are called here.
var otherNames = map[string]string{
	"primary_method": "prompt", "method": "prompt", "action": "description", "critical": "critical_flag", "name": "title",
	"purpose": "description", "dependencies": "depends_on", "backup_1": "backups", "backup_2": "backups", "backup_methods": "backups",
}

// nearCase reports whether name differs from one of names in case only.
func nearCase(name string, names []string) bool {
	for _, n := range names {
		if n != name && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// nearest returns the name that takes the fewest edits from word, or "" if all are far.
func nearest(word string, names []string) string {
	if len(word) > 64 {
		return ""
	}
	best, fewest := "", max(2, len(word)/3)+1
	for _, name := range names {
		if n := edits(word, name); n < fewest {
			best, fewest = name, n
		}
	}
	return best
}

// edits counts the bytes to insert, delete, replace or swap with their neighbour from a to b.
func edits(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
