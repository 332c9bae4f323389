//go:build amd64 || arm64

package view

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/tracee"
)

// Numbers of calls that package syscall does not have, and what they are asked
// for.
const (
	sysOpenTree  = 428
	sysMoveMount = 429
	sysFsopen    = 430
	sysFsconfig  = 431
	sysFsmount   = 432

	closeOnExec = 1
	copyOf      = 1 | 0x1000 | syscall.O_CLOEXEC // OPEN_TREE_CLONE, AT_EMPTY_PATH
	fromFile    = 4                              // MOVE_MOUNT_F_EMPTY_PATH

	setFlag = 0 // FSCONFIG_SET_FLAG and so on
	setText = 1
	setFile = 5
	create  = 6
)

// Mount mounts an overlay where no process sees it, so that [ShowMount] can show
// it to one command after another, which costs next to nothing. It is there
// until the file is closed. It fails where that cannot be done: without
// privileges, and before Linux 6.15.
func Mount(v *layer.View) (*os.File, error) {
	file, err := mountAside(v)
	if err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	none := [1]byte{}
	copied, _, errno := syscall.Syscall(sysOpenTree, file.Fd(), uintptr(unsafe.Pointer(&none)), copyOf)
	if errno != 0 { // older systems show it to one
		return nil, errors.Join(fmt.Errorf("copy of an overlay: %w", errno), file.Close())
	}
	return file, syscall.Close(int(copied))
}

// mountAside is a mount of an overlay that is not part of any tree.
func mountAside(v *layer.View) (*os.File, error) {
	if err := Check(v); err != nil {
		return nil, err
	}
	kind, err := syscall.BytePtrFromString("overlay")
	if err != nil {
		return nil, err
	}
	config, _, errno := syscall.Syscall(sysFsopen, uintptr(unsafe.Pointer(kind)), closeOnExec, 0)
	if errno != 0 {
		return nil, errno
	}
	defer syscall.Close(int(config))
	if err := configure(config, v); err != nil {
		return nil, err
	}
	mount, _, errno := syscall.Syscall(sysFsmount, config, closeOnExec, 0)
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(mount, "overlay"), nil
}

// configure says what is mounted, as [Options] does.
func configure(config uintptr, v *layer.View) error {
	for option := range strings.SplitSeq(means(v), ",") {
		command := uintptr(setText)
		key, value, with := strings.Cut(option, "=")
		if !with {
			command = setFlag
		}
		if err := fsconfig(config, command, key, value, 0); err != nil {
			return fmt.Errorf("%s: %w", option, err)
		}
	}
	folders := [][2]string{{"upperdir", v.Upper}, {"workdir", v.Work}}
	for _, path := range v.Lowers {
		folders = append(folders, [2]string{"lowerdir+", path})
	}
	for _, folder := range folders {
		file, err := syscall.Open(folder[1], syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("%q: %w", folder[1], err)
		}
		err = fsconfig(config, setFile, folder[0], "", file)
		if err = errors.Join(err, syscall.Close(file)); err != nil {
			return fmt.Errorf("%s: %w", folder[0], err)
		}
	}
	return fsconfig(config, create, "", "", 0)
}

// fsconfig is fsconfig(2); what is "" is not there.
func fsconfig(config, command uintptr, key, value string, file int) error {
	var at [2]*byte
	for i, text := range []string{key, value} {
		if text == "" {
			continue
		}
		var err error
		if at[i], err = syscall.BytePtrFromString(text); err != nil {
			return err
		}
	}
	_, _, errno := syscall.Syscall6(sysFsconfig, config, command, uintptr(unsafe.Pointer(at[0])),
		uintptr(unsafe.Pointer(at[1])), uintptr(file), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// ShowMount shows a child at a path what was mounted aside; file is the child's.
func ShowMount(s *tracee.Child, file uintptr, path string) error {
	defer s.Forget()
	none, err := s.Text("")
	if err != nil {
		return err
	}
	at, err := s.Text(path)
	if err != nil {
		return err
	}
	copied, err := s.Call(sysOpenTree, file, none, copyOf)
	if err != nil {
		return err
	}
	_, err = s.Call(sysMoveMount, copied, none, tracee.AtHere, at, fromFile)
	if _, closeErr := s.Call(syscall.SYS_CLOSE, copied); err == nil {
		err = closeErr
	}
	return err
}
