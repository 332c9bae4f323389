package ledger

import (
	"path"
	"strings"
)

// maxHops bounds how many links after each other are followed, and maxBehind how
// many patterns come of that: of what would be more, all is read.
const (
	maxHops   = 40
	maxBehind = 10_000
)

// Behind are patterns, and what is read as well by whoever reads the paths that
// they stand for: what links of the tree lead to, and what folders hold. Links
// that lead out of the tree lead nowhere. What cannot be told (a link whose target
// looks like a pattern, links that lead to too many places) is taken for all of
// the tree.
func (t *Tree) Behind(patterns []string) []string {
	b := &behind{root: t.root, seen: map[string]bool{}}
	for _, p := range patterns {
		b.add(p, 0)
	}
	if b.seen["**"] {
		return []string{"**"}
	}
	return b.list
}

type behind struct {
	root *Folder
	list []string
	seen map[string]bool
}

// add takes in a pattern, behind so many links.
func (b *behind) add(pattern string, hops int) {
	if b.seen["**"] || b.seen[pattern] || hops > maxHops {
		return
	}
	if len(b.list) == maxBehind {
		pattern = "**"
	}
	b.seen[pattern] = true
	b.list = append(b.list, pattern)
	names := strings.Split(pattern, "/")
	at, dir := b.root, ""
	for i, name := range names {
		if IsGlob(name) {
			at.linksBelow(dir, func(e Entry) { b.match(e, names, i+1, hops) })
			return
		}
		here := childOf(dir, name)
		e, ok := at.lookup(name)
		if e.Path = here; ok && e.Kind == Link {
			b.lead(e, names[i+1:], hops)
		}
		if !ok || e.Kind != Dir {
			return
		}
		at, dir = at.below(name), here
	}
	b.add(pattern+"/**", hops)
}

// match follows a link that the first names of a pattern, at least so many of
// them, stand for.
func (b *behind) match(link Entry, names []string, least, hops int) {
	for n := least; n <= len(names); n++ {
		if Match(strings.Join(names[:n], "/"), link.Path) {
			b.lead(link, names[n:], hops)
		}
	}
}

// lead takes in what stands behind a link, and at the names below that.
func (b *behind) lead(link Entry, names []string, hops int) {
	to := path.Join(path.Dir(link.Path), link.Target)
	if path.IsAbs(link.Target) || to == ".." || strings.HasPrefix(to, "../") {
		return
	}
	switch below := strings.Join(names, "/"); {
	case IsGlob(to), to == "." && below == "":
		b.add("**", hops+1)
	case to == ".":
		b.add(below, hops+1)
	default:
		b.add(path.Join(to, below), hops+1)
	}
}

// linksBelow has do see the links of f, which lies at dir, and below.
func (f *Folder) linksBelow(dir string, do func(Entry)) {
	if f == nil {
		return
	}
	for _, l := range f.links {
		do(f.entry(dir, l.At))
	}
	for i := range f.rows {
		if f.isDir(i) {
			f.sub(i).linksBelow(childOf(dir, f.names.At(i)), do)
		}
	}
}
