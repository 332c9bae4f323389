package main

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// readAll reads and hashes all files with two threads, and keeps nothing.
func readAll(root string) error {
	paths := make(chan []string, 64)
	failed := make(chan error, 2)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			h, buf := sha256.New(), make([]byte, 128<<10)
			for batch := range paths {
				for _, path := range batch {
					if err := hash(h, path, buf); err != nil {
						select {
						case failed <- err:
						default:
						}
					}
				}
			}
		})
	}
	var batch []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if batch = append(batch, path); len(batch) == 64 {
				paths <- batch
				batch = nil
			}
		}
		return err
	})
	paths <- batch
	close(paths)
	readers.Wait()
	if len(failed) > 0 {
		return <-failed
	}
	return err
}

func hash(h interface {
	io.Writer
	Reset()
	Sum([]byte) []byte
}, path string, buf []byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	h.Reset()
	_, err = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{f}, buf)
	h.Sum(buf[:0])
	return err
}
