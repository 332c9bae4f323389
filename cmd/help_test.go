package cmd

import (
	"slices"
	"strings"
	"testing"
)

// TestFlagsAreGrouped: each flag of a command with many is explained with those
// like it, and is in one group.
func TestFlagsAreGrouped(t *testing.T) {
	var all []string
	for _, g := range flagGroups() {
		for _, name := range strings.Fields(g.flags) {
			if slices.Contains(all, name) {
				t.Errorf("--%s is in two groups", name)
			}
			all = append(all, name)
		}
	}
	for _, c := range described() {
		groups := c.Groups()
		if len(groups) == 1 {
			continue
		}
		for _, g := range groups {
			for _, f := range g.Flags {
				if g.Title == "flags" {
					t.Errorf("planlock %s --%s is in no group; see flagGroups", c.Name, f.Name)
				}
			}
		}
	}
}

// TestDescribedFlags: no flag is lost or told twice, whatever group it is in.
func TestDescribedFlags(t *testing.T) {
	for _, c := range commands() {
		var told, there []string
		for _, f := range c.described().Flags {
			told = append(told, f.Name)
		}
		for _, f := range c.flags() {
			there = append(there, f.Name)
		}
		slices.Sort(told)
		slices.Sort(there)
		if !slices.Equal(told, there) {
			t.Errorf("planlock %s tells %v and has %v", c.name, told, there)
		}
	}
}
