package process

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// able is a machine that can do everything, or all but what is named.
func able(without string) abilities {
	lacks := func(name string) bool { return strings.Contains(without, name) }
	can := func(name string) func() (bool, string) {
		return func() (bool, string) {
			if lacks(name) {
				return false, "no " + name
			}
			return true, ""
		}
	}
	return abilities{
		tree: func() (string, string) {
			if lacks("namespaces") {
				return groupTree, "no namespaces"
			}
			if lacks("privileges") {
				return userTree, ""
			}
			return pidTree, ""
		},
		landlock: func() (int, string) {
			if lacks("landlock") {
				return 0, "no landlock"
			}
			return 7, ""
		},
		network: can("network"), protect: can("protection"), stage: can("holding"), mounts: can("mounts"),
		tether: func(string) bool { return !lacks("tether") },
		graphics: func() []string {
			if lacks("graphics") {
				return nil
			}
			return []string{"/dev/nvidia0", "/dev/nvidia1"}
		},
		groups: func() (hierarchies, string) {
			if lacks("groups") {
				return hierarchies{}, "no groups"
			}
			return hierarchies{memory: "/m", pids: "/p"}, ""
		},
	}
}

// TestReachOfMachinesThatLackSomething is what each lack costs: it is shown, or
// what was asked for is refused.
func TestReachOfMachinesThatLackSomething(t *testing.T) {
	tests := []struct {
		name    string
		without string
		want    Sandbox
		reached string // "" refused
		reasons string
	}{
		{"everything", "", Sandbox{Level: Strict, Memory: 1},
			"strict (pid namespace, landlock 7, repository read-only, no network, own mounts, call filter, memory by control group, processes by control group)", ""},
		{"nothing asked for", "", Sandbox{},
			"filesystem (pid namespace, landlock 7, repository read-only, own mounts, call filter, processes by control group)", ""},
		{"nobody, everything", "privileges groups", Sandbox{Level: Strict, Memory: 1},
			"strict (pid and user namespace, landlock 7, repository read-only, no network, own mounts, call filter, memory by each process, processes by user namespace)", "no groups"},
		{"default without Landlock", "landlock", Sandbox{}, "process (pid namespace, processes by control group)", "no landlock"},
		{"filesystem without Landlock", "landlock", Sandbox{Level: Filesystem}, "", "no landlock"},
		{"filesystem without mounts", "mounts protection", Sandbox{Level: Filesystem},
			"filesystem (pid namespace, landlock 7, call filter, processes by control group)",
			"no protection no mounts"},
		{"filesystem without holding", "holding mounts protection", Sandbox{Level: Filesystem, Processes: -1},
			"filesystem (pid namespace, landlock 7)", "no protection no mounts"},
		{"strict without mounts", "mounts", Sandbox{Level: Strict}, "", "no mounts"},
		{"strict without a filter", "holding mounts", Sandbox{Level: Strict}, "", "no mounts"},
		{"strict without a network of its own", "network", Sandbox{Level: Strict}, "", "no network"},
		{"no network without one of its own", "network", Sandbox{NoNetwork: true}, "", "no network"},
		{"process without namespaces", "namespaces", Sandbox{Level: Process}, "process (" + groupTree + ")", "no namespaces"},
		{"processes without anything to count them", "namespaces groups", Sandbox{Level: Filesystem, Processes: 10},
			"", "no namespaces no groups"},
		{"processes at level none", "", Sandbox{Level: None, Processes: 10}, "none (" + groupTree + ", processes by control group)", ""},
		{"processes at level none without groups", "groups", Sandbox{Level: None, Processes: 10}, "", "no groups"},
		{"memory without groups", "groups", Sandbox{Level: Process, Memory: 1}, "process (pid namespace, memory by each process)", "no groups"},
		{"graphics processors", "", Sandbox{Level: None, Processes: -1, Graphics: number(2)}, "none (" + groupTree + ")", ""},
		{"more graphics processors", "", Sandbox{Level: None, Graphics: number(3)}, "", "graphics processors: 2"},
		{"no graphics processor where none is", "graphics", Sandbox{Level: None, Processes: -1, Graphics: number(0)}, "none (" + groupTree + ")", ""},
	}
	if groupTree == jobTree || !limitsProcesses {
		t.Skip("this system has other ways")
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reached, err := able(test.without).reach(test.want)
			var refused *LevelError
			got := reached.String()
			if errors.As(err, &refused) {
				got = ""
				if diff := cmp.Diff(test.reasons, strings.Join(refused.Reasons, " ")); diff != "" {
					t.Errorf("reasons of the refusal (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(test.reached, got); diff != "" || (err != nil) != (test.reached == "") {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(test.reasons, strings.Join(reached.Reasons, " ")); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func number(n int) *int { return &n }

// Another machine may hold more, and in other ways, but not less.
func TestHolds(t *testing.T) {
	root := "filesystem (pid namespace, landlock 7, repository read-only, own mounts, call filter, processes by control group)"
	user := "filesystem (pid and user namespace, landlock 7, repository read-only, own mounts, call filter, processes by user namespace)"
	bare := "filesystem (pid namespace, landlock 5)"
	tests := []struct {
		was, now string
		want     bool
	}{
		{root, root, true}, {root, user, true}, {user, root, true},
		{bare, root, true}, {root, bare, false},
		{bare, "filesystem (pid namespace, landlock 10)", true},
		{bare, "filesystem (pid namespace, landlock 4)", false},
		{bare, "filesystem (pid namespace)", false},
		{bare, "filesystem (" + groupTree + ", landlock 5)", false},
		{"none (" + groupTree + ")", "none (pid namespace)", true},
		{bare, "strict (pid namespace, landlock 5)", false},
		{"process (pid namespace, memory by each process)", "process (pid namespace, memory by control group)", true},
		{"process (pid namespace, memory by control group)", "process (pid namespace, memory by each process)", false},
		{"process (pid namespace, processes by control group)", "process (pid namespace)", false},
		{"process (pid namespace, no network)", "process (pid namespace)", false},
		{"process (pid namespace, no network)", "", false}, {"", root, false},
	}
	for _, test := range tests {
		if got := Holds(test.was, test.now); got != test.want {
			t.Errorf("was %s, now %s: %v, want %v", test.was, test.now, got, test.want)
		}
	}
}
