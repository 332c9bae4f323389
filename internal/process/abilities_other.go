//go:build !linux

package process

// machine knows what a system without namespaces and Landlock can do.
func machine() abilities {
	no := func(reason string) func() (bool, string) { return func() (bool, string) { return false, reason } }
	return abilities{
		tree:     func() (string, string) { return groupTree, groupReason },
		landlock: func() (int, string) { return 0, "no Landlock on this system" },
		groups:   func() (hierarchies, string) { return hierarchies{}, "no control groups on this system" },
		graphics: func() []string { return nil },
		network:  no("the network cannot be taken away on this system"),
		protect:  no("no mount namespaces on this system"),
		stage:    no(""),
		mounts:   no(""),
		tether:   func(string) bool { return false },
	}
}

// TryOut has nothing to find out, and nothing to remove.
func TryOut(string) func() { return func() {} }

// ReachBind reports whether commands can be shown another folder in place of
// their workspace.
func ReachBind() bool { return false }

// ReachOverlay is how commands can be shown overlays.
func ReachOverlay(string) Overlay { return Overlay{} }
