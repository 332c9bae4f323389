// Package safetext makes text safe to show on a terminal and in a log.
//
// A plan, a path, a tool's output and an error that quotes any of them are
// written by strangers. Printed as they are, they can move the cursor, repaint
// what stands above, set the window's title, ring, hide themselves, or show
// their letters in another order than the one they are stored in. [Escape]
// turns every such character into visible text:
//
//	fmt.Fprintf(w, "step %s: %s\n", addr, safetext.Escape(title))
//
// [Escape] is for what must stay on one line; [Lines] and [Indent] are for text
// that may have many; [JSON] is for JSON, whose meaning it keeps; [Clip] and
// [Width] serve displays with columns. [Hidden] and [HiddenInLines] judge a text
// instead: which plans are refused must not hang on what a version of Unicode
// knows, so they go by a few fixed kinds of characters.
//
// Nothing but [JSON] is reversible: a backslash stays a backslash, so that paths and
// patterns stay readable. Letters that merely look alike are not told apart.
package safetext
