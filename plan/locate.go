package plan

import (
	"strconv"
	"strings"
)

// locate returns the offset of what a path such as "tasks[0].limits.max_files" names, or of the nearest
// thing around it that was written down.
func (n *node) locate(path string) int32 {
	at := n.offset
	for path != "" {
		name, rest, quoted := nextKey(path)
		i, ok := n.lookup(name)
		if !ok || name == "" && !quoted {
			return at
		}
		m := n.keys[i]
		n, at, path = m.value, m.offset, rest
		if n.origin == headed || n.origin == repeated {
			at = n.offset
		}
		for strings.HasPrefix(path, "[") {
			number, after, _ := strings.Cut(path[1:], "]")
			k, err := strconv.Atoi(number)
			if err != nil || k < 0 || k >= len(n.list) {
				return at
			}
			n, path = n.list[k], after
			at = n.offset
		}
		path = strings.TrimPrefix(path, ".")
	}
	return at
}

// nextKey takes the first key off a dotted path.
func nextKey(path string) (name, rest string, quoted bool) {
	if strings.HasPrefix(path, `"`) {
		if q, err := strconv.QuotedPrefix(path); err == nil {
			name, _ = strconv.Unquote(q)
			return name, path[len(q):], true
		}
	}
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:], false
	}
	return path, "", false
}
