package tomltree

import (
	"strconv"
	"strings"
)

// Locate follows a path such as "tasks[0].limits.max_files" from a table. It
// returns where the key that the path names was written, or the nearest thing
// around it; n is the value, or nil where it is not there.
func (n *Node) Locate(path string) (at int, value *Node) {
	at = n.At
	for path != "" {
		name, rest, quoted := nextKey(path)
		i := n.Lookup(name)
		if i < 0 || name == "" && !quoted {
			return at, nil
		}
		n, path = n.Keys[i].Value, rest
		at = n.At
		for strings.HasPrefix(path, "[") {
			number, after, _ := strings.Cut(path[1:], "]")
			k, err := strconv.Atoi(number)
			if err != nil || k < 0 || k >= len(n.List) {
				return at, nil
			}
			n, path = n.List[k], after
			at = n.At
		}
		path = strings.TrimPrefix(path, ".")
	}
	return at, n
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
