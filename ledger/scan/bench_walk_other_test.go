//go:build !linux || !(amd64 || arm64 || riscv64)

package scan

import "testing"

// bareWalk is only known on Linux; elsewhere the ratios are to WalkDir.
func bareWalk(b *testing.B, root string) func() { return func() { walkDir(b, root) } }
