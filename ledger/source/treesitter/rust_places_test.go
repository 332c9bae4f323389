package treesitter

import (
	"path"
	"testing"
)

// TestRustPlacesAreGlobs: every place of a symbol is one that path.Match takes,
// and a name with an underscore means a folder with a hyphen as well.
func TestRustPlacesAreGlobs(t *testing.T) {
	found := map[string]bool{}
	files := []string{"my-lib/src/net.rs", "my_lib/src/net.rs", "my.lib/src/net.rs"}
	for _, place := range rustPlaces("my_lib::net::S") {
		for _, f := range files {
			ok, err := path.Match(place, f)
			if err != nil {
				t.Errorf("%s: %v", place, err)
			}
			found[f] = found[f] || ok
		}
	}
	if !found[files[0]] || !found[files[1]] || found[files[2]] {
		t.Errorf("found %v", found)
	}
}
