package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// The system calls have these numbers on every architecture but MIPS and Alpha.
const (
	sysLandlockCreate   = 444
	sysLandlockAdd      = 445
	sysLandlockRestrict = 446

	landlockAskVersion  = 1
	landlockPathBeneath = 1

	prSetNoNewPrivs = 38
	oPath           = 0x200000
)

// Rights of Landlock; a right that a ruleset handles is denied wherever no rule
// allows it.
const (
	rightWriteFile  = 1 << 1
	rightReadFile   = 1 << 2
	rightReadDir    = 1 << 3
	rightRemoveDir  = 1 << 4
	rightRemoveFile = 1 << 5
	rightMakeChar   = 1 << 6
	rightMakeDir    = 1 << 7
	rightMakeReg    = 1 << 8
	rightMakeSock   = 1 << 9
	rightMakeFifo   = 1 << 10
	rightMakeBlock  = 1 << 11
	rightMakeSym    = 1 << 12
	rightRefer      = 1 << 13 // version 2: move from folder to folder
	rightTruncate   = 1 << 14 // version 3

	rightsRead  = rightReadFile | rightReadDir
	rightsWrite = rightWriteFile | rightRemoveDir | rightRemoveFile | rightMakeChar | rightMakeDir |
		rightMakeReg | rightMakeSock |
		rightMakeFifo | rightMakeBlock | rightMakeSym | rightRefer | rightTruncate
	rightsDevice  = rightMakeChar | rightMakeBlock
	rightsOfFiles = rightWriteFile | rightTruncate | rightReadFile

	scopeAbstractSocket = 1 << 0 // version 6: connect to sockets of processes outside
	scopeSignal         = 1 << 1 // version 6: signal processes outside
)

// landlockVersion asks the kernel.
func landlockVersion() (int, error) {
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		return 0, errors.New("not known on this architecture")
	}
	version, _, errno := syscall.Syscall(sysLandlockCreate, 0, 0, landlockAskVersion)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

// A ruleset is what is allowed.
type ruleset struct {
	fd      int
	handled uint64
}

// newRuleset handles what this kernel can of rights.
func newRuleset(version int, rights uint64, scopes uint64) (*ruleset, error) {
	attr := struct{ files, net, scopes uint64 }{files: rights}
	size := unsafe.Sizeof(attr.files)
	if version >= 6 {
		attr.scopes, size = scopes, unsafe.Sizeof(attr)
	}
	fd, _, errno := syscall.Syscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("ruleset: %w", errno)
	}
	syscall.CloseOnExec(int(fd))
	return &ruleset{fd: int(fd), handled: rights}, nil
}

// allow allows rights at path and below it. What is not there needs no rule.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EACCES) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rule for %q: %w", path, err)
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return fmt.Errorf("rule for %q: %w", path, err)
	}
	if info.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= rightsOfFiles
	}
	if rights &= r.handled; rights == 0 {
		return nil
	}
	attr := pathRule(rights, fd)
	_, _, errno := syscall.Syscall6(sysLandlockAdd, uintptr(r.fd), landlockPathBeneath,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rule for %q: %w", path, errno)
	}
	return nil
}

// enforce restricts the present thread, for good.
func (r *ruleset) enforce() error {
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("no new privileges: %w", errno)
	}
	if _, _, errno := syscall.RawSyscall(sysLandlockRestrict, uintptr(r.fd), 0, 0); errno != 0 {
		return fmt.Errorf("restrict: %w", errno)
	}
	return nil
}

// pathRule is the kernel's structure for a rule, which is packed.
func pathRule(rights uint64, fd int) (rule [12]byte) {
	binary.NativeEndian.PutUint64(rule[:8], rights)
	binary.NativeEndian.PutUint32(rule[8:], uint32(fd))
	return rule
}

// rights are what Landlock denies wherever no rule of box allows it. Device
// nodes are allowed nowhere.
func (c confinement) rights() uint64 {
	rights := uint64(rightsWrite)
	if c.Level == Strict {
		rights |= rightsRead
	}
	if c.reached.Landlock < 3 {
		rights &^= rightTruncate
	}
	return rights
}

// ruleset is what box allows: writes, and at level strict reads.
func (c confinement) ruleset() (*ruleset, error) {
	scopes := uint64(scopeSignal)
	if c.Level == Strict {
		scopes |= scopeAbstractSocket
	}
	rules, err := newRuleset(c.reached.Landlock, c.rights(), scopes)
	if err != nil {
		return nil, err
	}
	for _, path := range outside(c.View, c.writable()) {
		if err = rules.allow(path, rightsWrite&^rightsDevice|rightsRead); err != nil {
			break
		}
	}
	for _, path := range outside(c.View, c.readable()) {
		if err == nil {
			err = rules.allow(path, rightsRead)
		}
	}
	if err != nil {
		syscall.Close(rules.fd)
		return nil, err
	}
	return rules, nil
}

// landlock confines the present thread.
func landlock(box confinement) error {
	rules, err := box.ruleset()
	if err != nil {
		return err
	}
	defer syscall.Close(rules.fd)
	return rules.enforce()
}
