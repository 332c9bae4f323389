package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGraphics(t *testing.T) {
	for _, c := range []struct{ there, want []string }{
		{nil, nil},
		{[]string{"nvidia10", "nvidia2", "nvidia0", "nvidiactl", "nvidia-uvm"}, []string{"nvidia0", "nvidia2", "nvidia10"}},
		{[]string{"dri/card0", "dri/renderD129", "dri/renderD128"}, []string{"dri/renderD128", "dri/renderD129"}},
	} {
		dev := t.TempDir()
		if err := os.Mkdir(filepath.Join(dev, "dri"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.there {
			if err := os.WriteFile(filepath.Join(dev, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, path := range graphics(dev) {
			rel, _ := filepath.Rel(dev, path)
			got = append(got, filepath.ToSlash(rel))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of %q: %q, not %q", c.there, got, c.want)
		}
	}
	found := []string{"/dev/nvidia0", "/dev/nvidia1"}
	for n, want := range [][2]string{{"", "/dev/nvidia0 /dev/nvidia1"},
		{"/dev/nvidia0 /dev/nvidiactl", "/dev/nvidia1"}, {"/dev/nvidia0 /dev/nvidia1 /dev/nvidiactl", ""}} {
		open, hidden := shared("/dev", found, n)
		var may []string
		for _, path := range (confinement{graphics: open}).writable() {
			if slices.Contains(append(found, "/dev/nvidiactl"), path) {
				may = append(may, path)
			}
		}
		if got := [2]string{strings.Join(may, " "), strings.Join(hidden, " ")}; got != want {
			t.Errorf("%d of two may be used: %q", n, got)
		}
	}
	env := withGraphics([]string{"CUDA_VISIBLE_DEVICES=7", "HOME=/"}, 2)
	if !slices.Contains(env, "CUDA_VISIBLE_DEVICES=0,1") || slices.Contains(env, "CUDA_VISIBLE_DEVICES=7") {
		t.Errorf("%q", env)
	}
}
