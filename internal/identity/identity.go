// Package identity tells one program from another by what it is, wherever it
// lies and whatever it says of itself.
package identity

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/ledger"
)

// OfProgram is the digest of a program and its arguments: of the content of the
// program and of each argument that is the absolute path of a file (a script, a
// configuration), and of the other arguments as they stand. The program is
// looked for in the environment that it will have. args is not empty.
func OfProgram(args []string) (ledger.Digest, error) {
	path, err := environ.Look(args[0], ".", environ.For(nil))
	if err != nil {
		return "", err
	}
	var list strings.Builder
	for i, arg := range args {
		if i == 0 {
			arg = path
		}
		digest, err := ofArgument(arg)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&list, digest)
	}
	return ledger.Sum([]byte(list.String())), nil
}

// ofArgument is the digest of the file that an argument is the absolute path
// of, or of the argument itself.
func ofArgument(arg string) (ledger.Digest, error) {
	info, err := os.Stat(arg)
	if !filepath.IsAbs(arg) || err != nil || !info.Mode().IsRegular() {
		return ledger.Sum([]byte(arg)), nil
	}
	f, err := os.Open(arg)
	if err != nil {
		return "", err
	}
	defer f.Close()
	digest, _, err := ledger.SumReader(f)
	return digest, err
}

// Replaced is the first file that args name by its absolute path, and that programs
// would find to be another one than it is: where they see the folder dir at the
// path seen, as of a workspace of which they see a copy. "" is none.
func Replaced(args []string, dir, seen string) (string, error) {
	if seen == "" || seen == dir {
		return "", nil
	}
	for _, arg := range args {
		rel, err := filepath.Rel(seen, arg)
		if !filepath.IsAbs(arg) || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		there := filepath.Join(dir, rel)
		if info, err := os.Stat(there); err != nil || !info.Mode().IsRegular() {
			continue // it cannot be started
		}
		bound, err := ofArgument(arg)
		if err != nil {
			return "", err
		}
		if now, err := ofArgument(there); err != nil || now != bound {
			return arg, err
		}
	}
	return "", nil
}
