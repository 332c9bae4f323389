// Package serve is a page to watch runs of a workspace and to answer what they
// ask, in a browser on the same machine.
//
// Whoever wants in needs the token of the address that the command prints; a
// cookie stands for it from then on. Names that are none of the server's are
// refused, as are answers from pages that are not its own. Nothing of an address
// is used as a path: runs and steps are looked up among those that there are.
// The page runs one script, a file of its own, and works without it.
package serve
