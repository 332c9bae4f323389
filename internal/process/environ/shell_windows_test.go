package environ

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestShell: an sh in PATH comes first, then that of the git in PATH, then
// that of Git for Windows where it is installed, then the caller's own, then
// the command interpreter. What lies in relative folders is none of them.
func TestShell(t *testing.T) {
	top := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
	for _, name := range []string{
		at("tools", "sh.exe"), at("Git", "cmd", "git.exe"), at("Git", "bin", "sh.exe"),
		at("Two", "mingw64", "bin", "git.exe"), at("Two", "bin", "sh.exe"),
		at("files", "Git", "bin", "sh.exe"), at("local", "Programs", "Git", "bin", "sh.exe"), at("lone", "git.exe"),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own := []string{"planlock.exe", "sh", "-c"}
	sh := func(path string) []string { return []string{path, "-c", "run"} }
	for _, c := range []struct {
		env  []string
		own  []string
		want []string
	}{
		{[]string{"PATH=" + at("Git", "cmd") + ";" + at("tools")}, own, sh(at("tools", "sh.exe"))},
		{[]string{"Path=" + at("Git", "cmd"), "ProgramFiles=" + at("files")}, own, sh(at("Git", "bin", "sh.exe"))},
		{[]string{"PATH=" + at("Two", "mingw64", "bin")}, own, sh(at("Two", "bin", "sh.exe"))},
		{[]string{"PATH=" + at("lone"), "ProgramFiles=" + at("files")}, own, sh(at("files", "Git", "bin", "sh.exe"))},
		{[]string{"LOCALAPPDATA=" + at("local")}, own, sh(at("local", "Programs", "Git", "bin", "sh.exe"))},
		{[]string{"PATH=tools;.", "ProgramFiles=files", "ComSpec=cmd.exe"}, own, []string{"planlock.exe", "sh", "-c", "run"}},
		{[]string{"ComSpec=cmd.exe"}, nil, []string{"cmd.exe", "/D", "/S", "/C", "run"}},
		{nil, nil, nil},
	} {
		got, err := Shell(c.env, c.own, "run")
		if !slices.EqualFunc(got, c.want, strings.EqualFold) || (err != nil) != (c.want == nil) {
			t.Errorf("%v: %q, %v; want %q", c.env, got, err, c.want)
		}
	}
}
