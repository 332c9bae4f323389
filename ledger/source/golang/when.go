package golang

import (
	"go/ast"
	"go/build/constraint"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

// builds are those that a file belongs to: by the tags of its name and its build
// constraint together. nil is always.
type builds struct{ constraint.Expr }

// String says it in words.
func (b builds) String() string {
	if b.Expr == nil {
		return "always"
	}
	return "if " + b.Expr.String()
}

// CoveredBy reports whether one of others is there whenever b is. Where there
// are too many tags to try, it says no.
func (b builds) CoveredBy(others []source.Builds) bool {
	var any constraint.Expr
	for _, o := range others {
		x := o.(builds).Expr
		switch {
		case x == nil:
			return true
		case any == nil:
			any = x
		default:
			any = &constraint.OrExpr{X: any, Y: x}
		}
	}
	return any != nil && implies(b.Expr, any)
}

// both is a constraint that holds where two do; nil always holds.
func both(a, b constraint.Expr) constraint.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &constraint.AndExpr{X: a, Y: b}
}

// lineTags is the build constraint above the package clause: its //go:build
// line, or else its // +build lines.
func lineTags(f *ast.File) constraint.Expr {
	var old constraint.Expr
	for _, group := range f.Comments {
		for _, c := range group.List {
			if f.Package.IsValid() && c.Pos() > f.Package {
				return old
			}
			if !constraint.IsGoBuild(c.Text) && !constraint.IsPlusBuild(c.Text) {
				continue
			}
			x, err := constraint.Parse(c.Text)
			switch {
			case err != nil: // the go tool refuses the file
			case constraint.IsGoBuild(c.Text):
				return x
			default:
				old = both(old, x)
			}
		}
	}
	return old
}

var (
	systems = []string{"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd", "openbsd",
		"plan9", "solaris", "wasip1", "windows", "zos"}
	processors = []string{"386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle", "mips64", "mips64le",
		"mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64", "s390", "s390x", "sparc",
		"sparc64", "wasm"}
	notUnix = []string{"js", "nacl", "plan9", "wasip1", "windows", "zos"}
)

// nameTags is the constraint in a file's name, as in limit_windows_amd64.go.
func nameTags(name string) constraint.Expr {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	parts := strings.Split(strings.TrimSuffix(stem, "_test"), "_")[1:]
	var x constraint.Expr
	if n := len(parts); n > 0 && slices.Contains(processors, parts[n-1]) {
		x, parts = &constraint.TagExpr{Tag: parts[n-1]}, parts[:n-1]
	}
	if n := len(parts); n > 0 && slices.Contains(systems, parts[n-1]) {
		x = both(&constraint.TagExpr{Tag: parts[n-1]}, x)
	}
	return x
}

// maxTags bounds the tags of which all combinations are tried, apart from
// systems and processors.
const maxTags = 8

// implies tries all systems, processors and combinations of tags in which the
// two can differ.
func implies(was, now constraint.Expr) bool {
	tags := map[string]bool{}
	visit(both(was, now), func(tag string) { tags[tag] = true })
	archs, free := []string{""}, []string(nil) // "" is a processor that nothing names
	for tag := range tags {
		switch {
		case slices.Contains(processors, tag):
			archs = append(archs, tag)
		case tag != "unix" && !slices.Contains(systems, tag):
			free = append(free, tag)
		}
	}
	if len(free) > maxTags {
		return false
	}
	for _, system := range systems {
		for _, arch := range archs {
			for set := range 1 << len(free) {
				on := func(tag string) bool {
					if i := slices.Index(free, tag); i >= 0 {
						return set>>i&1 == 1
					}
					return tag == arch || onSystem(system, tag)
				}
				if (was == nil || was.Eval(on)) && !now.Eval(on) {
					return false
				}
			}
		}
	}
	return true
}

// onSystem reports whether a tag holds on a system: its own name, what it is a
// kind of, and unix.
func onSystem(system, tag string) bool {
	switch {
	case system == tag:
		return true
	case tag == "unix":
		return !slices.Contains(notUnix, system)
	case tag == "linux":
		return system == "android"
	case tag == "darwin":
		return system == "ios"
	case tag == "solaris":
		return system == "illumos"
	}
	return false
}

// visit names every tag of a constraint.
func visit(x constraint.Expr, do func(tag string)) {
	switch x := x.(type) {
	case *constraint.AndExpr:
		visit(x.X, do)
		visit(x.Y, do)
	case *constraint.OrExpr:
		visit(x.X, do)
		visit(x.Y, do)
	case *constraint.NotExpr:
		visit(x.X, do)
	case *constraint.TagExpr:
		do(x.Tag)
	}
}
