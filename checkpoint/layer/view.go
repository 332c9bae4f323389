package layer

// A View is what commands see at a path instead of what stands there.
type View struct {
	// At is the path, absolute and without links: the workspace.
	At string
	// From is a folder that is shown there; "" if an overlay is mounted.
	From string
	// Lowers of an overlay, topmost first.
	Lowers []string
	// Upper and Work are folders for what commands write into an overlay. They
	// lie outside of Lowers.
	Upper, Work string
	// Trusted overlays keep their notes in attributes that only root can set, as
	// renames of folders need it that lie below.
	Trusted bool
}
