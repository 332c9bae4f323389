package main

import (
	"os"
	"syscall"
)

// syncData makes the bytes of a file durable, and of what describes it only what is needed to read them.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
