//go:build amd64 || arm64

package callfilter

import "unsafe"

// Program is the filter for this processor, as the kernel wants it, and of how
// many instructions it is.
func Program() (code []byte, instructions int) {
	program := filter(native())
	return unsafe.Slice((*byte)(unsafe.Pointer(&program[0])), len(program)*int(unsafe.Sizeof(bpf{}))), len(program)
}
