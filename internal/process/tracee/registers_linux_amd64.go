package tracee

import "syscall"

// instruction is that of a system call.
var instruction = []byte{0x0f, 0x05}

// registers are those of a stopped child.
type registers struct{ syscall.PtraceRegs }

func (r *registers) get(pid int) error { return syscall.PtraceGetRegs(pid, &r.PtraceRegs) }
func (r *registers) set(pid int) error { return syscall.PtraceSetRegs(pid, &r.PtraceRegs) }
func (r *registers) at() uintptr       { return uintptr(r.Rip) }
func (r *registers) stack() uintptr    { return uintptr(r.Rsp) }
func (r *registers) result() int64     { return int64(r.Rax) }

// prepare loads a system call, and says that none is under way that would be
// restarted.
func (r *registers) prepare(number uintptr, args []uintptr) {
	r.Orig_rax, r.Rax = ^uint64(0), uint64(number)
	for i, to := range []*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8, &r.R9} {
		*to = 0
		if i < len(args) {
			*to = uint64(args[i])
		}
	}
}
