package process_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"slices"
	"syscall"
)

const (
	renameat2      = 316
	processVMReadv = 310
	kcmp           = 312
	prlimit        = 302
	setns          = 308
	keyctl         = 250
	bpfCall        = 321
	perf           = 298
	userfaultfd    = 323
	initModule     = 175
	kexec          = 246
	nameToHandle   = 303
)

const foreign = everybody // who may run programs of another architecture

// What 32-bit code does by int 0x80: end with 0, and make a socket by the call
// whose arguments lie in memory, which no filter sees, and end with 0 if it was
// made.
var (
	endOld    = func(uint32) []byte { return []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80} }
	socketOld = func(at uint32) []byte {
		args := at + 32
		return []byte{
			0xb8, 102, 0, 0, 0, 0xbb, 1, 0, 0, 0, // socketcall, socket
			0xb9, byte(args), byte(args >> 8), byte(args >> 16), byte(args >> 24), 0xcd, 0x80,
			0xc1, 0xe8, 31, 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80, 0x90, 0x90, 0x90, // end with its sign
			syscall.AF_INET, 0, 0, 0, syscall.SOCK_DGRAM, 0, 0, 0, 0, 0, 0, 0,
		}
	}
)

// runOld runs such code as a program of 32 or 64 bits, which is written here.
func runOld(bits int, code func(at uint32) []byte) error {
	const base = 0x8048000
	word := func(n uint64) []byte {
		b := binary.LittleEndian.AppendUint64(nil, n)
		return b[:bits/8]
	}
	class, machine, headers, flags, header := byte(1), byte(3), 84, []byte{7, 0, 0, 0}, []byte{52, 0, 32, 0, 1, 0}
	if bits == 64 {
		class, machine, headers, header = 2, 62, 120, []byte{64, 0, 56, 0, 1, 0}
	}
	text := code(base + uint32(headers))
	size := word(uint64(headers + len(text)))
	program := slices.Concat([]byte("\x7fELF"), []byte{class, 1, 1, 11: 0}, []byte{2, 0, machine, 0, 1, 0, 0, 0},
		word(uint64(base+headers)), word(uint64(header[0])), word(0), make([]byte, 4), header, make([]byte, 6))
	at := slices.Concat(word(0), word(base), word(base))
	if bits == 64 {
		program = slices.Concat(program, []byte{1, 0, 0, 0}, flags, at, size, size, word(4096))
	} else {
		program = slices.Concat(program, []byte{1, 0, 0, 0}, at, size, size, flags, word(4096))
	}
	if len(program) != headers {
		return fmt.Errorf("headers of %d bytes", len(program))
	}
	if err := os.WriteFile("old", append(program, text...), 0o700); err != nil {
		return err
	}
	err := osexec.Command("./old").Run()
	var exit *osexec.ExitError
	if errors.Is(err, syscall.ENOEXEC) ||
		errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGSEGV {
		return fmt.Errorf("%w: %w", errLacking, err)
	}
	return err
}
