// Package callfilter makes programs of the classic Berkeley packet filter that
// answer system calls with EPERM which lead out of a sandbox, or deep into the
// kernel. docs/sandbox.md says which.
package callfilter
