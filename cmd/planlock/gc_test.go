package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
)

// What gc says is English with none, one and two of everything.
func TestCollectedText(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		dryRun bool
		want   string
	}{
		"none": {0, false, "Freed 0 bytes: 0 contents gone, 0 packs removed, 0 packs written anew.\n0 contents stay, for 0 runs.\n"},
		"one": {1, true, "Would free 1 byte: 1 content gone, 1 pack removed, 1 pack written anew.\n1 content stays, for 1 run.\n" +
			"1 pack left as it is, because of damage: planlock verify --store says more.\n" +
			"1 pack left as it is, because another program writes it.\n"},
		"two": {2, false, "Freed 2 bytes: 2 contents gone, 2 packs removed, 2 packs written anew.\n2 contents stay, for 2 runs.\n" +
			"2 packs left as they are, because of damage: planlock verify --store says more.\n" +
			"2 packs left as they are, because another program writes them.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := collected(checkpoint.Collected{Removed: c.n, Rewritten: c.n, Busy: c.n, Damaged: c.n, Contents: c.n, Bytes: int64(c.n), Kept: c.n}, c.n, c.dryRun)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
