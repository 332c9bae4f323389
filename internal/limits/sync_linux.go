package main

import (
	"os"
	"syscall"
)

// syncAll has the system write everything that it holds back.
func syncAll() { syscall.Sync() }

// syncData makes the bytes of a file durable, and of what describes it only
// what is needed to read them.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
