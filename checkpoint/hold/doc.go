// Package hold keeps a second controller away from a workspace.
//
//	held, err := hold.Workspace(ctx, "w") // *checkpoint.HeldError names who has it
//	defer held.Release()
//	err = held.Check() // before each step: is it still ours?
//
// The lock is the operating system's, on the file .planlock/lock: it ends with
// the process, and is not inherited. What the file says is for people only.
package hold
