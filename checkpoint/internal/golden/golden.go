// Package golden compares what is written in a file format with files that hold
// it, so that a format does not change unnoticed. Only tests import it. With
// -update they write the files anew.
package golden

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew; never do that with those of a released version")

// Same fails the test unless testdata/name holds what is now written, and
// returns what it holds.
func Same(t *testing.T, name string, written []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, written, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, written) {
		t.Errorf("%s is written as\n%swant\n%s", name, hex.Dump(written), hex.Dump(want))
	}
	return want
}
