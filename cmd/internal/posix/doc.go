// Package posix is a shell for systems that have none: it runs what a plan
// says in `run` where there is no sh, as on Windows without Git for Windows.
//
// The language is that of mvdan.cc/sh, which is POSIX with most of what bash
// adds. Beside its builtins there are the commands that plans use most; those
// of the table in commands.go, with the flags named there and no others. A
// flag that is not known fails: nothing is done by halves. Every other command
// is a program, found through PATH.
//
// It runs in a process of its own, so that whoever runs a command can end it
// as any other; [Main] is that process.
package posix
