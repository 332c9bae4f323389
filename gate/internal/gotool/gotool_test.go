package gotool

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestGoCommandRewritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		flags, file string // GOFLAGS, and what the file says that go env -w writes
		want        bool
	}{
		"nothing is said":   {"", "", false},
		"other flags":       {"-trimpath -mod=vendor", "", false},
		"the environment":   {"-trimpath -mod=mod", "", true},
		"two dashes":        {"--mod=mod", "", true},
		"quoted":            {"'-mod=mod'", "", true},
		"the file":          {"", "GOPROXY=off\nGOFLAGS=-mod=mod\n", true},
		"not from the file": {"-trimpath", "GOFLAGS=-mod=mod\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "env")
			if err := os.WriteFile(file, []byte(c.file), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Setenv("GOFLAGS", c.flags)
			t.Setenv("GOENV", file)
			want := []string{"go", "vet", "./..."}
			if c.want {
				want = []string{"go", "vet", "-mod=readonly", "./..."}
			}
			if got := Command("vet", "./..."); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
