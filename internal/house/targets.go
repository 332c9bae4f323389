package main

// Targets of the house. Where one is missed, -check ends with status 1.
const (
	mostFiles      = 25     // of a folder, tests aside
	mostMethods    = 25     // of a type
	mostExported   = 760    // package-level names that a host can import, methods aside
	mostCode       = 61_000 // lines
	mostBytes      = 9 << 20
	leastComments  = 0.18 // lines with a comment alone, per line of code
	leastForward   = 0.90 // of the arrows between the files of a package
	mostFileLines  = 500  // of a file; reported, and no target
	freeBackArrows = 1    // of a package, whatever its share: small packages have few arrows
)
