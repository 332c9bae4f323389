//go:build unix

package builtin_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

// A declared path is a file at the end, and whoever puts something else there
// is found out.
func TestArtifactsKeepTheirKind(t *testing.T) {
	modify := plan.Artifacts{Modify: []string{"a.txt"}}
	replace := func(put func(p string) error) func(dir string) error {
		return func(dir string) error {
			p := filepath.Join(dir, "a.txt")
			return errors.Join(os.Remove(p), put(p))
		}
	}
	link := func(target string) func(dir string) error {
		return replace(func(p string) error { return os.Symlink(target, p) })
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	base := files{"a.txt": "a\n", "b.txt": "b\n", "d/c.txt": "c\n"}
	kind := func(p string) []string { return []string{"fail", "artifact-kind " + p} }
	for _, tt := range []struct {
		name      string
		before    files
		artifacts plan.Artifacts
		do        func(dir string) error
		want      []string
	}{
		{"a file", base, modify, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.txt"),
				[]byte("new"), 0o644)
		}, passed},
		{"a mode", base, modify, func(dir string) error { return os.Chmod(filepath.Join(dir, "a.txt"), 0o755) },
			passed},
		{"an empty folder", base, modify, replace(func(p string) error { return os.Mkdir(p, 0o755) }), kind("a.txt")},
		{"a FIFO", base, modify, replace(func(p string) error { return syscall.Mkfifo(p, 0o644) }), kind("a.txt")},
		{"a new FIFO", base, plan.Artifacts{Create: []string{"f"}},
			func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "f"), 0o644) }, kind("f")},
		{"setuid", base, modify, func(dir string) error {
			return os.Chmod(filepath.Join(dir, "a.txt"),
				0o755|os.ModeSetuid)
		}, kind("a.txt")},
		{"setgid", base, modify, func(dir string) error {
			return os.Chmod(filepath.Join(dir, "a.txt"),
				0o755|os.ModeSetgid)
		}, kind("a.txt")},
		{"sticky", base, plan.Artifacts{Create: []string{"e"}}, func(dir string) error {
			p := filepath.Join(dir, "e")
			return errors.Join(os.Mkdir(p, 0o755), os.Chmod(p, 0o755|os.ModeSticky))
		}, kind("e")},
		{"link to an absolute path", base, modify, link("/etc/passwd"), kind("a.txt")},
		{"link outside", base, modify, link("../outside"), kind("a.txt")},
		{"link outside by a detour", base, modify, link("d/../../outside"), kind("a.txt")},
		{"link into .git", base, modify, link(".git/config"), kind("a.txt")},
		{"link by another link", base, plan.Artifacts{Create: []string{"l", "m"}}, func(dir string) error {
			return errors.Join(os.Symlink("..", filepath.Join(dir, "l")), os.Symlink("l/x", filepath.Join(dir, "m")))
		}, []string{"fail", "artifact-kind l", "artifact-kind m"}},
		{"link to itself", base, plan.Artifacts{Create: []string{"l"}},
			func(dir string) error { return os.Symlink("l", filepath.Join(dir, "l")) }, kind("l")},
		{"link inside", base, modify, link("b.txt"), passed},
		{"link inside, upwards", base, plan.Artifacts{Create: []string{"d/l"}},
			func(dir string) error { return os.Symlink("../b.txt", filepath.Join(dir, "d/l")) }, passed},
		{"link to nothing yet", base, plan.Artifacts{Create: []string{"l"}},
			func(dir string) error { return os.Symlink("later/x", filepath.Join(dir, "l")) }, passed},
		{"hard link outside", base, modify, replace(func(p string) error { return os.Link(outside, p) }),
			kind("a.txt")},
		{"hard link inside", base, modify, replace(
			func(p string) error { return os.Link(filepath.Join(filepath.Dir(p), "b.txt"), p) }), passed},
		{"folder by name", base, plan.Artifacts{Create: []string{"e"}},
			func(dir string) error { return os.Mkdir(filepath.Join(dir, "e"), 0o755) }, passed},
		{"folder by glob", base, plan.Artifacts{Create: []string{"e*"}},
			func(dir string) error { return os.Mkdir(filepath.Join(dir, "e.txt"), 0o755) }, kind("e.txt")},
		{"full folder by glob", base, plan.Artifacts{Create: []string{"e*", "e*/**"}}, func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "e1/cache"), 0o755), os.WriteFile(filepath.Join(dir, "e1/x"), nil, 0o644))
		}, passed},
		{"folder below setgid", files{"s/": ""}, plan.Artifacts{Modify: []string{"s"}, Create: []string{"s/e"}},
			func(dir string) error {
				s := filepath.Join(dir, "s")
				return errors.Join(os.Mkdir(s+"/e", 0o755), os.Chmod(s, 0o755|os.ModeSetgid),
					os.Chmod(s+"/e", 0o755|os.ModeSetgid))
			}, kind("s")}, // s itself only
		{"mode of a folder", base, plan.Artifacts{Modify: []string{"d"}},
			func(dir string) error { return os.Chmod(filepath.Join(dir, "d"), 0o700) }, passed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pass := gatetest.Pass(t, tt.before, tt.before)
			pass.Step.Artifacts = &tt.artifacts
			if err := tt.do(pass.Dir); err != nil {
				t.Fatal(err)
			}
			gatetest.Rescan(t, pass)
			for range 2 { // the profile makes no difference
				j := gatetest.Judge(t.Context(), named(t, "artifacts"), pass)
				if got := brief(j); !slices.Equal(got, tt.want) {
					t.Errorf("%q, want %q: %v %+v", got, tt.want, j.Err, j.Verdict)
				}
				pass.Plan.Profile = plan.Observe
			}
		})
	}
}
