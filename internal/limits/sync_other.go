//go:build !linux

package main

import "os"

// syncData makes a file durable.
func syncData(f *os.File) error { return f.Sync() }

// syncAll does nothing: there is no portable way.
func syncAll() {}
