// Package browsertest has a real browser look at the pages of planlock serve. It
// is a module of its own, so that nobody else needs what drives the browser.
package browsertest
