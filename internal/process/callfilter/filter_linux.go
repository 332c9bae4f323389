//go:build amd64 || arm64

package callfilter

import "syscall"

// An instruction of the classic Berkeley packet filter.
type bpf struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

// Instructions of linux/bpf_common.h, places in the data that they look at, and
// answers of linux/seccomp.h.
const (
	bpfLoad  = 0x20 // a word of seccomp_data
	bpfAnd   = 0x54
	bpfEqual = 0x15
	bpfAbove = 0x35 // greater or equal
	bpfRet   = 0x06

	dataNumber = 0  // offsets in seccomp_data
	dataArch   = 4  //
	dataArgs   = 16 // the low half of the first argument

	retKill  = 0x80000000 // the process, with SIGSYS
	retAllow = 0x7fff0000
	retErrno = 0x00050000
)

// Flags of clone(2) that make namespaces; that of the time is a signal's number
// there and only a flag of unshare(2).
const (
	newNamespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUSER |
		syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | cloneNewCgroup
	cloneNewCgroup = 0x02000000
	cloneNewTime   = 0x80
)

// A callTable holds the numbers of system calls on an architecture; 0 is a call
// that it does not have.
type callTable struct {
	arch uint32 // AUDIT_ARCH_…
	// numbers from here on are those of another calling convention; 0: none
	limit                                                              uint32
	denied                                                             []uint32 // whatever the arguments
	clone, clone3, unshare, ioctl, socket, mknod, mknodat, personality uint32
}

// ioctls that put input into a terminal.
var typing = []uint32{0x5412, 0x541c} // TIOCSTI, TIOCLINUX

// families of sockets that are let through; the others reach what no namespace
// holds, or are seldom tested doors of the kernel.
var families = []uint32{syscall.AF_UNIX, syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK}

// personas are what personality(2) may be asked for: the question, the ordinary
// ones, and fixed addresses, for debuggers.
var personas = []uint32{0xffffffff, 0, 0x8, 0x40000, 0x20000}

// filter is the program that answers system calls with EPERM, by their
// arguments; those that it does not know it lets through. A program for another
// architecture, or that makes one call as such a program does, is ended: its
// numbers are others, and it can make sockets by a call whose arguments lie in
// memory, which no filter sees.
func filter(table callTable) []bpf {
	program := []bpf{{code: bpfLoad, k: dataArch}, {code: bpfEqual, jt: 1, k: table.arch}, {code: bpfRet, k: retKill}}
	return append(program, table.program()...)
}

// deny answers the call with an error.
func deny(errno syscall.Errno) bpf { return bpf{code: bpfRet, k: retErrno | uint32(errno)} }

// program judges the calls of one architecture, and always returns.
func (t callTable) program() []bpf {
	program := []bpf{{code: bpfLoad, k: dataNumber}}
	if t.limit > 0 {
		program = append(program, bpf{code: bpfAbove, jf: 1, k: t.limit}, deny(syscall.ENOSYS))
	}
	on := func(number uint32, body ...bpf) {
		if number != 0 {
			program = append(append(program, bpf{code: bpfEqual, jf: uint8(len(body)), k: number}), body...)
		}
	}
	for _, number := range t.denied {
		on(number, deny(syscall.EPERM))
	}
	on(t.clone3, deny(syscall.ENOSYS)) // its flags lie in memory; C libraries fall back to clone
	on(t.clone, flagged(0, newNamespaces)...)
	on(t.unshare, flagged(0, newNamespaces|cloneNewTime)...)
	on(t.ioctl, among(1, typing, true)...)
	on(t.socket, among(0, families, false)...)
	on(t.personality, among(0, personas, false)...)
	on(t.mknod, device(1)...)
	on(t.mknodat, device(2)...)
	return append(program, bpf{code: bpfRet, k: retAllow})
}

// argument loads the low half of an argument; the flags that are looked at lie
// there.
func argument(n int) bpf { return bpf{code: bpfLoad, k: dataArgs + 8*uint32(n)} }

// flagged denies the call if argument n has one of the flags.
func flagged(n int, flags uint32) []bpf {
	return []bpf{argument(n), {code: bpfAnd, k: flags}, {code: bpfEqual, jt: 1, k: 0}, deny(syscall.EPERM),
		{code: bpfRet, k: retAllow}}
}

// among denies the call if argument n is one of values, or if it is not.
func among(n int, values []uint32, denied bool) []bpf {
	is, other := bpf{code: bpfRet, k: retAllow}, deny(syscall.EPERM)
	if denied {
		is, other = other, is
	}
	body := []bpf{argument(n)}
	for _, value := range values {
		body = append(body, bpf{code: bpfEqual, jf: 1, k: value}, is)
	}
	return append(body, other)
}

// device denies the making of device nodes; argument n is the mode.
func device(n int) []bpf {
	return []bpf{
		argument(n), {code: bpfAnd, k: syscall.S_IFMT},
		{code: bpfEqual, jf: 1, k: syscall.S_IFCHR}, deny(syscall.EPERM),
		{code: bpfEqual, jf: 1, k: syscall.S_IFBLK}, deny(syscall.EPERM),
		{code: bpfRet, k: retAllow},
	}
}
