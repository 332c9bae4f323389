package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// list prints what somebody who mends the house looks for.
func (r *repository) list(w io.Writer, what string, args []string) error {
	switch what {
	case "arrows":
		return r.listArrows(w, args)
	case "files":
		for _, p := range r.packages {
			fmt.Fprintf(w, "%4d %s\n", len(p.files), p.dir)
		}
	case "methods":
		for _, p := range r.packages {
			count := p.methods()
			for _, t := range slices.Sorted(maps.Keys(count)) {
				fmt.Fprintf(w, "%4d %s.%s\n", count[t], p.dir, t)
			}
		}
	case "names", "unused", "undocumented":
		for _, n := range r.names() {
			if what == "names" || what == "unused" && !n.used || what == "undocumented" && !n.documented {
				at := r.fset.Position(n.at)
				fmt.Fprintf(w, "%s:%d: %s.%s\n", at.Filename, at.Line, n.pkg.name, n.id)
			}
		}
	case "comments":
		for _, p := range r.packages {
			code, comment := p.sums()
			fmt.Fprintf(w, "%.3f  %6d code %6d comment  %s\n", float64(comment)/float64(max(code, 1)), code, comment,
				p.dir)
		}
	case "wide", "long":
		for _, p := range r.packages {
			for _, f := range append(slices.Clone(p.files), p.tests...) {
				if what == "long" && f.lines.all > mostFileLines {
					fmt.Fprintf(w, "%5d %s\n", f.lines.all, f.name)
				}
				if what == "wide" {
					for _, n := range f.lines.wide {
						fmt.Fprintf(w, "%s:%d\n", f.name, n)
					}
				}
			}
		}
	case "words":
		for _, s := range r.spellings() {
			fmt.Fprintln(w, s)
		}
	default:
		return fmt.Errorf("%q is none of the lists that -help names", what)
	}
	return nil
}

// listArrows prints the share of every package, or of those that are named the
// order of the files and the arrows that point back.
func (r *repository) listArrows(w io.Writer, dirs []string) error {
	arrows, err := r.arrows()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		for _, dir := range slices.Sorted(maps.Keys(arrows)) {
			list := arrows[dir]
			fmt.Fprintf(w, "%4.0f %%  %3d of %3d arrows back  %s\n", 100*share(list), backward(order(list), list),
				len(list), dir)
		}
		return nil
	}
	for _, dir := range dirs {
		p := r.find(dir)
		if p == nil {
			return fmt.Errorf("there is no package in %q", dir)
		}
		list := arrows[p.dir]
		files := order(list)
		bad := back(files, list)
		fmt.Fprintf(w, "%s: %.0f %%, %d of %d arrows point back in this order:\n  %s\n", p.dir, 100*share(list),
			len(bad), len(list), strings.Join(files, " "))
		for _, a := range bad {
			fmt.Fprintf(w, "  %s uses of %s: %s\n", a.from, a.to, strings.Join(a.names, ", "))
		}
	}
	return nil
}
