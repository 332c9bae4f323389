//go:build !linux || !(amd64 || arm64 || riscv64)

package scan

// openTop opens the folder that is scanned, which may be a link.
func openTop(dir string) (folder, error) { return openRooted(dir) }
