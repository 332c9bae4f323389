package environ

import (
	"fmt"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Shell is how a shell command is run in an environment: the program and its
// arguments. It is /bin/sh, but on Windows the sh that is in PATH, that of Git
// for Windows, or where there is neither own with the command behind it. Where
// own is nil too, it is the command interpreter.
func Shell(env, own []string, run string) ([]string, error) {
	if runtime.GOOS != "windows" {
		return []string{"/bin/sh", "-c", run}, nil
	}
	if path, err := Look("sh", "", env); err == nil {
		return []string{path, "-c", run}, nil
	}
	for _, path := range gitShells(env) {
		if path, err := executable(path, env); err == nil {
			return []string{path, "-c", run}, nil
		}
	}
	if len(own) > 0 {
		return append(own[:len(own):len(own)], run), nil
	}
	if path := value(env, "ComSpec"); path != "" {
		return []string{path, "/D", "/S", "/C", run}, nil
	}
	return nil, fmt.Errorf("process: no shell: neither sh nor Git for Windows nor ComSpec is there: %w",
		osexec.ErrNotFound)
}

// gitShells are where Git for Windows has its sh, which by default is in no
// folder of PATH: beside the git that is, and where it is installed for all and
// for one user. It is the one that finds the other programs that come with it.
func gitShells(env []string) []string {
	var roots []string
	if git, err := Look("git", "", env); err == nil {
		folder := filepath.Dir(git)
		if strings.EqualFold(filepath.Base(filepath.Dir(folder)), "mingw64") {
			folder = filepath.Dir(folder)
		}
		roots = append(roots, filepath.Dir(folder))
	}
	for _, in := range [...]struct{ variable, folder string }{
		{"ProgramFiles", "Git"}, {"ProgramFiles(x86)", "Git"}, {"LOCALAPPDATA", `Programs\Git`},
	} {
		if base := value(env, in.variable); filepath.IsAbs(base) {
			roots = append(roots, filepath.Join(base, in.folder))
		}
	}
	for i, root := range roots {
		roots[i] = filepath.Join(root, "bin", "sh.exe")
	}
	return roots
}
