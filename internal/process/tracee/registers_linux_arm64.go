package tracee

import (
	"syscall"
	"unsafe"
)

// instruction is that of a system call.
var instruction = []byte{0x01, 0x00, 0x00, 0xd4}

// registers are those of a stopped child.
type registers struct{ syscall.PtraceRegs }

// Requests of ptrace(2): this architecture has no others for registers.
const (
	ptraceGetRegSet = 0x4204
	ptraceSetRegSet = 0x4205
	generalRegs     = 1 // NT_PRSTATUS
)

func (r *registers) set(pid int) error { return r.transfer(ptraceSetRegSet, pid) }
func (r *registers) get(pid int) error { return r.transfer(ptraceGetRegSet, pid) }

// transfer reads or writes all general registers at once.
func (r *registers) transfer(request uintptr, pid int) error {
	vector := syscall.Iovec{Base: (*byte)(unsafe.Pointer(&r.PtraceRegs)), Len: uint64(unsafe.Sizeof(r.PtraceRegs))}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, request, uintptr(pid), generalRegs,
		uintptr(unsafe.Pointer(&vector)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func (r *registers) at() uintptr    { return uintptr(r.Pc) }
func (r *registers) stack() uintptr { return uintptr(r.Sp) }
func (r *registers) result() int64  { return int64(r.Regs[0]) }

// prepare loads a system call.
func (r *registers) prepare(number uintptr, args []uintptr) {
	r.Regs[8] = uint64(number)
	for i := range 6 {
		r.Regs[i] = 0
		if i < len(args) {
			r.Regs[i] = uint64(args[i])
		}
	}
}
