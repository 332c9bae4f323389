//go:build linux && (amd64 || arm64)

package tracee

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// Where a child has memory to spare before its program began: far enough below
// its stack that the kernel does not write there, and near enough that it is
// mapped.
const (
	ptraceExitKill = 0x100000 // PTRACE_O_EXITKILL
	scratchBelow   = 96 << 10 // of the stack pointer; the kernel makes room for 128 KiB when a program starts
	scratchSize    = 64 << 10
)

// A Child stands at the first instruction of its program, held by the
// present thread, and makes system calls for it: what can only be done from
// inside its namespaces, or would restrict the controller if it were done
// before. All methods must be called on the thread that started the child.
type Child struct {
	pid     int
	saved   registers
	code    [8]byte // what stood where the system call instruction is now
	scratch uintptr // memory of the child, below its stack
	used    uintptr
	pending syscall.Signal // came while it was held
}

// Hold waits until the child that was started traced stands still.
func Hold(pid int) (*Child, error) {
	s := &Child{pid: pid}
	if err := s.wait(); err != nil {
		return nil, err
	}
	if err := syscall.PtraceSetOptions(pid, ptraceExitKill); err != nil {
		return nil, fmt.Errorf("hold: %w", err)
	}
	if err := s.saved.get(pid); err != nil {
		return nil, fmt.Errorf("registers: %w", err)
	}
	s.scratch = (s.saved.stack() - scratchBelow) &^ 15
	if _, err := syscall.PtracePeekText(pid, s.saved.at(), s.code[:]); err != nil {
		return nil, fmt.Errorf("code: %w", err)
	}
	// The instruction of a system call is put where the child goes on; release
	// puts back what stood there.
	code := s.code
	copy(code[:], instruction)
	if _, err := syscall.PtracePokeText(pid, s.saved.at(), code[:]); err != nil {
		return nil, fmt.Errorf("code: %w", err)
	}
	return s, nil
}

// wait waits for the next stop, and fails if there is none because the child
// has ended.
func (s *Child) wait() error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(s.pid, &status, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return fmt.Errorf("wait: %w", err)
		case !status.Stopped():
			return errors.New("it ended before its program began")
		case status.StopSignal() == syscall.SIGTRAP:
			return nil
		}
		s.pending = status.StopSignal()
		if err := step(s.pid); err != nil {
			return err
		}
	}
}

// step lets the child do one instruction.
func step(pid int) error {
	if err := syscall.PtraceSingleStep(pid); err != nil {
		return fmt.Errorf("step: %w", err)
	}
	return nil
}

// Call makes the child do one system call. Its error is a plain [syscall.Errno]
// where the call failed.
func (s *Child) Call(number uintptr, args ...uintptr) (uintptr, error) {
	r := s.saved
	r.prepare(number, args)
	if err := r.set(s.pid); err != nil {
		return 0, fmt.Errorf("registers: %w", err)
	}
	if err := step(s.pid); err != nil {
		return 0, err
	}
	if err := s.wait(); err != nil {
		return 0, err
	}
	if err := r.get(s.pid); err != nil {
		return 0, fmt.Errorf("registers: %w", err)
	}
	if result := r.result(); result < 0 && result > -4096 {
		return 0, syscall.Errno(-result)
	} else {
		return uintptr(result), nil
	}
}

// Bytes puts b into the child's memory, aligned, and says where.
func (s *Child) Bytes(b []byte) (uintptr, error) {
	at := s.scratch + s.used
	size := (uintptr(len(b)) + 15) &^ 15
	if s.used+size > scratchSize {
		return 0, syscall.ENOMEM
	}
	s.used += size
	if _, err := syscall.PtracePokeData(s.pid, at, b); err != nil {
		return 0, fmt.Errorf("memory: %w", err)
	}
	return at, nil
}

// Text is Bytes for a C string.
func (s *Child) Text(text string) (uintptr, error) { return s.Bytes(append([]byte(text), 0)) }

// Forget makes the memory free again that Bytes handed out.
func (s *Child) Forget() { s.used = 0 }

// Release lets the child go on as if nothing had happened.
func (s *Child) Release() error {
	if _, err := syscall.PtracePokeText(s.pid, s.saved.at(), s.code[:]); err != nil {
		return fmt.Errorf("code: %w", err)
	}
	if err := s.saved.set(s.pid); err != nil {
		return fmt.Errorf("registers: %w", err)
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_DETACH, uintptr(s.pid), 0,
		uintptr(s.pending), 0, 0)
	if errno != 0 {
		return fmt.Errorf("let go: %w", errno)
	}
	return nil
}

// Memory is the bytes of a value, as the kernel reads them.
func Memory[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
