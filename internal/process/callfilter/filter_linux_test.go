//go:build amd64 || arm64

package callfilter

import (
	"syscall"
	"testing"
)

// answer is what the filter says of a call.
func answer(t *testing.T, program []bpf, arch, number uint32, args ...uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{dataNumber: number, dataArch: arch}
	for i, arg := range args {
		data[dataArgs+8*uint32(i)] = arg
	}
	held := uint32(0)
	for at := 0; at < len(program); at++ {
		yes := false
		switch is := program[at]; is.code {
		case bpfLoad:
			held = data[is.k]
			continue
		case bpfAnd:
			held &= is.k
			continue
		case bpfRet:
			return is.k
		case bpfEqual:
			yes = held == is.k
		case bpfAbove:
			yes = held >= is.k
		default:
			t.Fatalf("instruction %d is %+v", at, is)
		}
		if yes {
			at += int(program[at].jt)
		} else {
			at += int(program[at].jf)
		}
	}
	t.Fatal("the program has no end")
	return 0
}

// Programs for another processor, or that make calls as one of those does, can
// make none: the numbers mean something else there, and arguments lie in memory.
func TestOnlyNativeCalls(t *testing.T) {
	const denied, unknown = retErrno | uint32(syscall.EPERM), retErrno | uint32(syscall.ENOSYS)
	program := filter(native())
	table := native()
	for name, c := range map[string]struct {
		arch, number uint32
		args         []uint32
		want         uint32
	}{
		"an ordinary one":      {table.arch, uint32(syscall.SYS_GETPID), nil, retAllow},
		"a socket of unix":     {table.arch, table.socket, []uint32{syscall.AF_UNIX}, retAllow},
		"a socket of machines": {table.arch, table.socket, []uint32{40}, denied},
		"mount":                {table.arch, uint32(syscall.SYS_MOUNT), nil, denied},
		"namespaces by clone":  {table.arch, table.clone, []uint32{syscall.CLONE_NEWNS}, denied},
		"clone3":               {table.arch, table.clone3, nil, unknown},
		"socketcall of i386":   {0x40000003, 102, []uint32{1}, retKill},
		"exit of i386":         {0x40000003, 1, nil, retKill},
		"mount of i386":        {0x40000003, 21, nil, retKill},
		"getpid of ARM":        {0x40000028, 20, nil, retKill},
	} {
		t.Run(name, func(t *testing.T) {
			if got := answer(t, program, c.arch, c.number, c.args...); got != c.want {
				t.Errorf("%#x, want %#x", got, c.want)
			}
		})
	}
	if table.limit == 0 {
		return
	}
	for _, number := range []uint32{0, 41, 165, 512, 547, 0x3fffffff} { // of x32, as it is written
		if got := answer(t, program, table.arch, table.limit|number); got != unknown {
			t.Errorf("call %d of x32: %#x", number, got)
		}
	}
}
