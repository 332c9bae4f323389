// Package ownshell has the program that it is linked into be its own shell,
// where the system may have none. Elsewhere the shell is not linked.
package ownshell
