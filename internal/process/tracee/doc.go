// Package tracee holds a child at the first instruction of its program, and
// makes it do system calls before that begins. It is only there on Linux.
package tracee
