package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/ledger"
)

// acceptedName is the folder of what a user accepted once, in the one of what
// planlock keeps for a user. Each file in it is named after the digest of what
// was accepted, and says what that was.
const acceptedName = "accepted"

// acceptedFile is where it is kept that something was accepted; "" where nothing
// is kept.
func acceptedFile(dir string, digest ledger.Digest) string {
	state := filelog.UserWitness().Outside(dir)
	if state.Dir == "" {
		return ""
	}
	return filepath.Join(state.Dir, acceptedName, strings.ReplaceAll(string(digest), ":", "-"))
}

// acceptedBefore reports whether the user accepted something once.
func acceptedBefore(dir string, digest ledger.Digest) bool {
	file := acceptedFile(dir, digest)
	if file == "" {
		return false
	}
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}

// keepAccepted keeps that the user accepted something. Where nothing is kept for
// the user, it holds for the call alone.
func keepAccepted(dir string, one claim) error {
	file := acceptedFile(dir, one.digest)
	if file == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	err := writeNew(file, []byte(one.reason+"\n"+strings.Join(indented(one.lines), "\n")+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
