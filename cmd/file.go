package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile replaces the file at name by one that holds text. It is there whole or not at all, also after a power cut;
// after an error the old file is untouched.
func writeFile(name string, text []byte) error {
	return streamFile(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// streamFile is writeFile of what write writes.
func streamFile(name string, write func(io.Writer) error) (err error) {
	folder, base := filepath.Split(name)
	temp := filepath.Join(folder, fmt.Sprintf(".planlock-%d-%s", os.Getpid(), base))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temp) // the error that is returned matters more
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(temp, name)
}
