package planlock_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFuzzTargetsAreListed holds the table of fuzz targets in docs/testing.md
// against the code.
func TestFuzzTargetsAreListed(t *testing.T) {
	page, err := os.ReadFile("docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)`)
	found := map[string][]string{}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range target.FindAllSubmatch(text, -1) {
			dir := "./" + filepath.ToSlash(filepath.Dir(path))
			found[dir] = append(found[dir], string(m[1]))
		}
		return nil
	})
	if err != nil || len(found) < 10 {
		t.Fatalf("%d packages with fuzz targets: %v", len(found), err)
	}
	for dir, names := range found {
		slices.Sort(names)
		if row := fmt.Sprintf("| `%s` | %s |", dir,
			"`"+strings.Join(names, "`, `")+"`"); !strings.Contains(string(page), row) {
			t.Errorf("docs/testing.md lacks the row %s", row)
		}
	}
}
