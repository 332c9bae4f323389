package golang

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger/source"
)

// A declaration that leaves some builds breaks those who use it there.
func TestDeclarationsThatLeaveBuilds(t *testing.T) {
	const f = "package p\n\nfunc F() {}\n"
	type files map[string]string
	for _, tt := range []struct {
		name          string
		before, after files
		gone          bool
	}{
		{"nothing changed", files{"a.go": f}, files{"a.go": f}, false},
		{"ignored", files{"a.go": f}, files{"a.go": "//go:build ignore\n\n" + f}, true},
		{"ignored below a licence", files{"a.go": f}, files{"a.go": "// Copyright\n\n//go:build ignore\n\n" + f}, true},
		{"ignored in the old way", files{"a.go": f}, files{"a.go": "// +build ignore\n\n" + f}, true},
		{"a constraint below the package is none", files{"a.go": f}, files{"a.go": f + "\n//go:build ignore\n"}, false},
		{"renamed for a system", files{"a.go": f}, files{"a_windows.go": f}, true},
		{"renamed for a processor", files{"a.go": f}, files{"a_arm64.go": f}, true},
		{"renamed for both", files{"a.go": f}, files{"a_linux_arm64.go": f}, true},
		{"renamed only", files{"a.go": f}, files{"b.go": f}, false},
		{"a system's name alone is none", files{"a.go": f}, files{"windows.go": f}, false},
		{"a system before the last part is none", files{"a.go": f}, files{"a_windows_all.go": f}, false},
		{"constraint taken out", files{"a.go": "//go:build linux\n\n" + f}, files{"a.go": f}, false},
		{"constraint weaker", files{"a.go": "//go:build linux\n\n" + f},
			files{"a.go": "//go:build linux || darwin\n\n" + f}, false},
		{"constraint stronger", files{"a.go": "//go:build linux || darwin\n\n" + f}, files{"a.go": "//go:build linux\n\n" + f}, true},
		{"another constraint", files{"a.go": "//go:build linux\n\n" + f}, files{"a.go": "//go:build darwin\n\n" + f},
			true},
		{"unix holds linux", files{"a_linux.go": f}, files{"a.go": "//go:build unix\n\n" + f}, false},
		{"linux does not hold unix", files{"a.go": "//go:build unix\n\n" + f}, files{"a_linux.go": f}, true},
		{"linux holds android", files{"a_android.go": f}, files{"a_linux.go": f}, false},
		{"name and line say the same", files{"a_windows.go": f}, files{"a.go": "//go:build windows\n\n" + f}, false},
		{"split over systems", files{"a.go": f}, files{"a_windows.go": f,
			"a_other.go": "//go:build !windows\n\n" + f}, false},
		{"split with a gap", files{"a.go": f}, files{"a_windows.go": f, "a_other.go": "//go:build unix\n\n" + f}, true},
		{"split, one changed", files{"a.go": f}, files{"a_windows.go": f, "a_other.go": "//go:build !windows\n\npackage p\n\nfunc F(int) {}\n"}, true},
		{"joined", files{"a_windows.go": f, "a_other.go": "//go:build !windows\n\n" + f}, files{"a.go": f}, false},
		{"tags", files{"a.go": "//go:build a && b\n\n" + f}, files{"a.go": "//go:build b\n\n" + f}, false},
		{"tags that nobody can try", files{"a.go": f},
			files{"a.go": "//go:build a||b||c||d||e||f||g||h||i||!i\n\n" + f}, true},
		{"same tags that nobody can try", files{"a.go": "//go:build a||b||c||d||e||f||g||h||i\n\n" + f}, files{"a.go": "//go:build a||b||c||d||e||f||g||h||i\n\n" + f}, false},
		{"not exported", files{"a.go": "package p\n\nfunc f() {}\n"}, files{"a.go": "//go:build ignore\n\npackage p\n\nfunc f() {}\n"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			surface := func(fs files) *source.Surface {
				s := &source.Surface{}
				for name, src := range fs {
					f := Read("p/"+name, []byte(src))
					if len(f.Faults) > 0 {
						t.Fatal(f.Faults)
					}
					s.Join(&f.Surface)
				}
				return s
			}
			diffs := source.Differences(surface(tt.before), surface(tt.after))
			gone := false
			for _, d := range diffs {
				gone = gone || d.Effect == source.Breaks && strings.Contains(d.What, "left some builds")
			}
			if gone != tt.gone || !gone && len(diffs) > 0 {
				t.Errorf("%+v", diffs)
			}
		})
	}
}
