package main

const (
	goalLaunch   = "a command at filesystem in an overlay, with caches / unshare -m -p -f of a shell that mounts it and runs true"
	goalPlain    = "a command at filesystem in an overlay / the same without one"
	goalWalkTen  = "what 10 files changed in an overlay / git status"
	goalWalkMany = "what 1000 files changed in an overlay / git status"
	goalDropTen  = "drop of an overlay in which 10 files were written / git restore && git clean"
	goalDropMany = "drop of an overlay in which 1000 files were written / git restore && git clean"
	goalGone     = "the same until the files of the overlay are removed"
)
