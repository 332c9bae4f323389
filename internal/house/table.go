package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// A figure is a row of the table.
type figure struct {
	what, value, target string
	missed              bool
	worst               []string
}

// table prints all figures, and says how many targets are missed.
func (r *repository) table(w io.Writer) (missed int, err error) {
	arrows, err := r.arrows()
	if err != nil {
		return 0, err
	}
	host, err := r.hostSize()
	if err != nil {
		return 0, err
	}
	figures := []figure{
		r.oneWay(arrows), r.fileCounts(), r.methodCounts(), r.exportedNames(),
		r.unusedNames(), r.undocumentedNames(), r.codeLines(), r.comments(), r.wideLines(), host, r.spelled(),
		r.longFiles(),
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tnow\ttarget\t\tworst")
	for _, f := range figures {
		mark := "ok"
		switch {
		case f.missed:
			mark = "MISSED"
			missed++
		case f.target == "":
			mark = ""
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.what, f.value, f.target, mark, strings.Join(first(f.worst, 4), ", "))
	}
	if err := t.Flush(); err != nil {
		return 0, err
	}
	if missed == 1 {
		_, err = fmt.Fprintln(w, "\n1 target is missed")
	} else {
		_, err = fmt.Fprintf(w, "\n%d targets are missed\n", missed)
	}
	return missed, err
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// A count is a number of something, for lists of the worst.
type count struct {
	what string
	n    int
}

func worst(counts []count, more func(count) bool) []string {
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.n, a.n),
			strings.Compare(a.what, b.what))
	})
	var list []string
	for _, c := range counts {
		if more(c) {
			list = append(list, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return list
}

func (r *repository) oneWay(arrows map[string][]arrow) figure {
	var counts []count
	all, points := 0, 0
	for dir, list := range arrows {
		against := backward(order(list), list)
		all, points = all+len(list), points+against
		if s := share(list); s < leastForward && against > freeBackArrows {
			counts = append(counts, count{dir, int(100 * (1 - s))})
		}
	}
	bad := worst(counts, func(count) bool { return true })
	for i, b := range bad {
		bad[i] = b + " % back"
	}
	value := fmt.Sprintf("%d of %d packages below (%.0f %% of all arrows)", len(bad), len(arrows),
		100-100*float64(points)/float64(max(all, 1)))
	return figure{"arrows between files of a package that point one way", value,
		fmt.Sprintf(">= %.0f %% in each", 100*leastForward), len(bad) > 0, bad}
}

func (r *repository) fileCounts() figure {
	var counts []count
	for _, p := range r.packages {
		counts = append(counts, count{p.dir, len(p.files)})
	}
	list := worst(counts, func(c count) bool { return c.n > mostFiles })
	return figure{"files of a folder, tests aside",
		fmt.Sprintf("at most %d, %d folders above", counts[0].n, len(list)), fmt.Sprintf("<= %d", mostFiles),
		len(list) > 0, list}
}

func (r *repository) methodCounts() figure {
	var counts []count
	for _, p := range r.packages {
		for t, n := range p.methods() {
			counts = append(counts, count{p.dir + "." + t, n})
		}
	}
	list := worst(counts, func(c count) bool { return c.n > mostMethods })
	return figure{"methods of a type", fmt.Sprintf("at most %d, %d types above", counts[0].n, len(list)), fmt.Sprintf("<= %d", mostMethods), len(list) > 0, list}
}

// perPackage counts names by the folder of their package.
func perPackage(names []*name, which func(*name) bool) (total int, list []string) {
	by := map[string]int{}
	for _, n := range names {
		if which(n) {
			by[n.pkg.dir]++
			total++
		}
	}
	var counts []count
	for dir, n := range by {
		counts = append(counts, count{dir, n})
	}
	return total, worst(counts, func(count) bool { return true })
}

func (r *repository) exportedNames() figure {
	n, list := perPackage(r.names(), func(*name) bool { return true })
	return figure{"exported names, methods aside", fmt.Sprint(n), fmt.Sprintf("<= %d", mostExported),
		n > mostExported, list}
}

func (r *repository) unusedNames() figure {
	n, list := perPackage(r.names(), func(n *name) bool { return !n.used })
	return figure{"of them needed by nobody outside of their package", fmt.Sprint(n), "0", n > 0, list}
}

func (r *repository) undocumentedNames() figure {
	n, list := perPackage(r.names(), func(n *name) bool { return !n.documented })
	return figure{"of them without a comment", fmt.Sprint(n), "0", n > 0, list}
}

// lineCounts are lines of code and of comments, of the examples and of all
// else.
func (r *repository) lineCounts() (code, comment, examples int) {
	for _, p := range r.packages {
		for _, f := range p.files {
			code, comment = code+f.lines.code, comment+f.lines.comment
			if strings.HasPrefix(p.dir, "examples") {
				examples += f.lines.code
			}
		}
	}
	return code, comment, examples
}

func (r *repository) codeLines() figure {
	code, _, examples := r.lineCounts()
	return figure{"lines of code", fmt.Sprintf("%d, %d of them examples", code, examples),
		fmt.Sprintf("<= %d", mostCode), code > mostCode, r.largest()}
}

func (r *repository) largest() []string {
	var counts []count
	for _, p := range r.packages {
		n := 0
		for _, f := range p.files {
			n += f.lines.code
		}
		counts = append(counts, count{p.dir, n})
	}
	return worst(counts, func(c count) bool { return c.n > 0 })
}

func (r *repository) comments() figure {
	code, comment, _ := r.lineCounts()
	share := float64(comment) / float64(max(code, 1))
	return figure{"lines of comments per line of code", fmt.Sprintf("%.3f", share),
		fmt.Sprintf(">= %.2f", leastComments), share < leastComments, r.silent()}
}

// silent are the packages that lack most lines of comments.
func (r *repository) silent() []string {
	var counts []count
	for _, p := range r.packages {
		code, comment := p.sums()
		counts = append(counts, count{p.dir, int(leastComments*float64(code)) - comment})
	}
	list := worst(counts, func(c count) bool { return c.n > 0 })
	for i := range list {
		list[i] += " lines short"
	}
	return list
}

func (p *pkg) sums() (code, comment int) {
	for _, f := range p.files {
		code, comment = code+f.lines.code, comment+f.lines.comment
	}
	return code, comment
}

func (r *repository) wideLines() figure {
	var counts []count
	total, tests := 0, 0
	for _, p := range r.packages {
		n := 0
		for _, f := range p.files {
			n += len(f.lines.wide)
		}
		for _, f := range p.tests {
			tests += len(f.lines.wide)
		}
		counts, total = append(counts, count{p.dir, n}), total+n
	}
	list := worst(counts, func(c count) bool { return c.n > 0 })
	return figure{fmt.Sprintf("lines over %d columns, literals aside", columns),
		fmt.Sprintf("%d (and %d in tests)", total, tests), "0", total > 0, list}
}

func (r *repository) longFiles() figure {
	var counts []count
	for _, p := range r.packages {
		for _, f := range p.files {
			counts = append(counts, count{f.name, f.lines.all})
		}
	}
	list := worst(counts, func(c count) bool { return c.n > mostFileLines })
	return figure{fmt.Sprintf("files over %d lines", mostFileLines), fmt.Sprint(len(list)), "", false, list}
}

// hostSize builds the minimal host, which is a program with an executor, gates
// and a store in a folder, and takes its size.
func (r *repository) hostSize() (figure, error) {
	target := fmt.Sprintf("<= %d MB", mostBytes>>20)
	dir, err := os.MkdirTemp("", "house-")
	if err != nil {
		return figure{}, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "host")
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name,
		"./internal/house/testdata/host/main.go")
	c.Dir = r.dir
	if out, err := c.CombinedOutput(); err != nil {
		why := strings.Fields(string(out))
		return figure{"minimal host, stripped", "does not build", target, true, []string{strings.Join(why, " ")}}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return figure{}, err
	}
	value := fmt.Sprintf("%.1f MB", float64(info.Size())/(1<<20))
	return figure{"minimal host, stripped", value, target, info.Size() > mostBytes, nil}, nil
}
