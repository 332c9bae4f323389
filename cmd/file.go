package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeFile replaces the file at name by one that holds text. It is there whole or not at all, also after a power cut;
// after an error the old file is untouched.
func writeFile(name string, text []byte) (err error) {
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
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(temp, name)
}
