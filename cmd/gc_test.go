package cmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/folder"
)

// What gc says is English with none, one and two of everything.
func TestCollectedText(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		dryRun bool
		want   string
	}{
		"none": {0, false, "Freed 0 bytes: there is no content that no run here needs.\nNothing else is kept.\n"},
		"one": {1, true, "Would free 1 byte: 1 content of files and folders that no run here needs any more.\n" +
			"Contents lie in packs, the files in .planlock/objects/packs: 1 pack would be removed, 1 pack would be written anew with what is needed.\n" +
			"1 content stays, because 1 run needs it.\n" +
			"1 pack left as it is, because of damage: planlock verify --contents says more.\n" +
			"1 pack left as it is, because another program writes it.\n"},
		"two": {2, false, "Freed 2 bytes: 2 contents of files and folders that no run here needs any more.\n" +
			"Contents lie in packs, the files in .planlock/objects/packs: 2 packs were removed, 2 packs were written anew with what is needed.\n" +
			"2 contents stay, because 2 runs need them.\n" +
			"2 packs left as they are, because of damage: planlock verify --contents says more.\n" +
			"2 packs left as they are, because another program writes them.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := collected(folder.Collected{Removed: c.n, Rewritten: c.n, Busy: c.n, Damaged: c.n,
				Contents: c.n, Bytes: int64(c.n), Kept: c.n}, c.n, c.dryRun)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
