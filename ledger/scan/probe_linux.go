package scan

import (
	"errors"
	"syscall"
	"time"
	"unsafe"
)

// What a probe waits for, writes and opens with.
const (
	probeTick = 20 * time.Millisecond // the longest tick of a system clock, and some
	mapSize   = 16                    // bytes of a time
	openTmp   = 0o20000000 | syscall.O_DIRECTORY
)

// probe asks how fine the times are on the file system of dir, by writing to a
// file that has no name: nobody sees it, and dir does not change. It takes no
// longer than a few ticks.
func probe(dir string) grain {
	fd, err := syscall.Open(dir, openTmp|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return unknown
	}
	defer syscall.Close(fd)
	if told, err := mapped(fd); err != nil {
		return unknown
	} else if !told {
		return misleading
	}
	return measure(
		func() error { _, err := syscall.Pwrite(fd, []byte{0}, 0); return err },
		func() error { return setModified(fd, 0) },
		func() (status, error) {
			var st syscall.Stat_t
			err := syscall.Fstat(fd, &st)
			return status{changed: int64(st.Ctim.Sec), changedNs: uint32(st.Ctim.Nsec)}, err
		},
		time.Now)
}

// mapped reports whether the file system tells by its times, at once, that a
// file was written through a mapping into memory. One that keeps files in
// memory only does not, nor does one that looks at such pages later: there a
// file may change under a stamp that stays. The mapping is written to by the
// system itself, which answers EFAULT where a program would be ended because
// the disk is full.
func mapped(fd int) (told bool, err error) {
	if _, err := syscall.Pwrite(fd, make([]byte, mapSize), 0); err != nil {
		return false, err
	}
	page, err := syscall.Mmap(fd, 0, mapSize, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, syscall.Munmap(page)) }()
	if err := setModified(fd, 0); err != nil {
		return false, err
	}
	if _, _, no := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 0, uintptr(unsafe.Pointer(&page[0])), 0); no != 0 {
		return false, no
	}
	var st syscall.Stat_t
	err = syscall.Fstat(fd, &st)
	return st.Mtim.Sec != 0, err
}

// setModified sets the time of modification of an open file, in nanoseconds
// since 1970.
func setModified(fd int, to int64) error {
	time := syscall.NsecToTimespec(to)
	times := [2]syscall.Timespec{time, time}
	_, _, no := syscall.Syscall6(syscall.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
	if no != 0 {
		return no
	}
	return nil
}

// measure judges a clock by what a few writes and a planted time of
// modification do to the time of change.
func measure(write, plant func() error, look func() (status, error), now func() time.Time) grain {
	started := now()
	changed := func(do func() error) (time.Time, error) {
		if err := do(); err != nil {
			return time.Time{}, err
		}
		s, err := look()
		return time.Unix(s.changed, int64(s.changedNs)), err
	}
	first, err := changed(write)
	if err != nil {
		return unknown
	}
	for last := first; last.Equal(first); {
		if now().Sub(started) > 2*probeTick {
			return coarse // it does not move in the time of a tick
		}
		if last, err = changed(write); err != nil {
			return unknown
		}
	}
	last, err1 := changed(plant)
	again, err2 := changed(write)
	if errors.Join(err1, err2) != nil {
		return unknown
	}
	end := now()
	switch {
	case last.Before(first), again.Before(last), first.Before(started.Add(-probeTick)), again.After(end.Add(probeTick)):
		return misleading
	case whole(first) && whole(last) && whole(again):
		return coarse
	}
	return fine
}

// whole reports whether a time shows no fractions of a millisecond.
func whole(t time.Time) bool { return t.Nanosecond()%int(time.Millisecond) == 0 }
