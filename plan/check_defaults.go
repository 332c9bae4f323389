package plan

import "strings"

// inheritable are the codes whose cause is one key. Where a step took the key over from [defaults], the cause is there, once, and not in
// each step. The value names another key that mends it; a step that has that one itself has a fault of its own.
var inheritable = map[string]string{
	"requirement-unknown": "", "component-unknown": "", "constraint-unknown": "", "executor-unknown": "", "regexp-invalid": "",
	"check-kind-missing": "", "check-kind-unknown": "", "check-argument-missing": "", "check-argument-unknown": "",
	"command-hidden": "", "path-invalid": "", "symbol-invalid": "",
	"retries-missing": "max_retries", "compensate-missing": "compensate",
}

// stepNode is a step as it was written, or nil.
func (d *Draft) stepNode(task, step int) *node {
	at := d.root
	for _, part := range []struct {
		list  string
		index int
	}{{"tasks", task}, {"steps", step}} {
		if at == nil {
			return nil
		}
		list := at.find(part.list)
		if list == nil || part.index >= len(list.list) {
			return nil
		}
		at = list.list[part.index]
	}
	return at
}

// inherits reports whether a fault at a key of the step is one of [defaults].
func (c *checker) inherits(code, key string) bool {
	mends, ok := inheritable[code]
	if !ok || c.written == nil || c.written.kind != kindTable {
		return false
	}
	name, _, _ := strings.Cut(key, ".")
	name, _, _ = strings.Cut(name, "[")
	defaults := c.d.root.find("defaults")
	return name != "" && defaults != nil && defaults.find(name) != nil && c.written.find(name) == nil &&
		(mends == "" || c.written.find(mends) == nil)
}

// inherited reports a fault of [defaults], once.
func (c *checker) inherited(code, key, message, hint string) {
	d := Diagnostic{Code: code, Message: message, Hint: hint, Pos: c.d.Position("defaults." + key)}
	if c.told[d] {
		return
	}
	if c.told == nil {
		c.told = map[Diagnostic]bool{}
	}
	c.told[d] = true
	c.found.add(code, d.Pos, message, hint)
}

// misread reports whether reading told what is wrong with a key of the step, or of [defaults]: lost says so of its value, or the key itself
// has a letter too many or too few. What the step lacks because of that is not told again.
func (c *checker) misread(key string, lost func(*node) bool) bool {
	if c.written == nil {
		return false
	}
	for _, n := range []*node{c.written, c.d.root.find("defaults")} {
		if n == nil {
			continue
		}
		for _, m := range n.keys {
			if stepKeys.key(m.name) == nil && nearest(m.name, []string{key}) != "" {
				return true
			}
		}
		if value := n.find(key); value != nil && lost(value) {
			return true
		}
	}
	return false
}

// silent reports whether a step says nothing of a key, where nothing came of it: what it says and could not be read was told there.
func (c *checker) silent(key string) bool {
	return !c.misread(key, func(n *node) bool { return n.kind != kindArray || len(n.list) > 0 })
}
