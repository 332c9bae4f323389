// Package environ says what a child gets from the environment of this process,
// and which program it runs by a name there.
package environ

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Cookie is the variable by which the processes of a tree are found where
// nothing else holds them.
const Cookie = "PLANLOCK_TREE"

// base are the variables that every child gets where they are set: who and
// where the user is, the language, the places for caches and temporary files,
// certificates, and what `go build` needs to find modules, cache and toolchain.
var base = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GOROOT", "GOPATH", "GOBIN", "GOCACHE", "GOMODCACHE", "GOENV", "GOFLAGS", "GOTOOLCHAIN", "GOWORK", "GOEXPERIMENT",
	"GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "CGO_ENABLED",
}

// baseWindows are needed beside them on Windows, where little works without.
var baseWindows = []string{
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "HOMEDRIVE",
	"HOMEPATH", "APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "CommonProgramFiles",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
}

// fixed are set for every child: tools that only look at the repository must
// not refresh its index, which is watched, and nothing may wait for a person's
// password.
var fixed = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}

// For is the environment of a child: the variables of a short fixed
// list, those named in extra, and GIT_OPTIONAL_LOCKS=0 and
// GIT_TERMINAL_PROMPT=0; sorted, each once, taken from this process's
// environment. Variables through which a program is made to load or run other
// code than it seems to ([Refused]) are left out, named or not.
func For(extra []string) []string {
	all := os.Environ()
	env := make([]string, 0, len(base)+len(extra)+len(fixed))
	for _, assignment := range all {
		name, _, _ := strings.Cut(assignment, "=")
		if Wanted(name, extra) && !Refused(name) {
			env = append(env, assignment)
		}
	}
	return Merge(env, fixed)
}

// Wanted reports whether a variable is one of those that every child gets, or
// of extra.
func Wanted(name string, extra []string) bool {
	if runtime.GOOS == "windows" {
		same := func(other string) bool { return strings.EqualFold(name, other) }
		return slices.ContainsFunc(base, same) || slices.ContainsFunc(baseWindows, same) ||
			slices.ContainsFunc(extra, same)
	}
	return slices.Contains(base, name) || slices.Contains(extra, name)
}

// identity are the only variables of git that may be named: they say who
// commits.
var identity = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
}

// Refused reports whether [For] leaves name out even where it is asked
// for: loader variables (LD_PRELOAD, DYLD_…), start-up files of shells
// (BASH_ENV, ENV) and GIT_… but for the author's and committer's name, address
// and date.
func Refused(name string) bool {
	name = strings.ToUpper(name)
	switch name {
	case "", "LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", Cookie:
		return true
	}
	if strings.ContainsAny(name, "=\x00") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "BASH_FUNC_") {
		return true
	}
	return strings.HasPrefix(name, "GIT_") && !slices.Contains(identity, name)
}

// Merge is env with the assignments of more in place of earlier ones, sorted by
// name.
func Merge(env, more []string) []string {
	type variable struct{ name, assignment string }
	all := make([]variable, 0, len(env)+len(more))
	for _, list := range [...][]string{env, more} {
		for _, assignment := range list {
			name, _, ok := strings.Cut(assignment, "=")
			if !ok || name == "" {
				continue
			}
			if runtime.GOOS == "windows" {
				name = strings.ToUpper(name)
			}
			all = append(all, variable{name, assignment})
		}
	}
	slices.SortStableFunc(all, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	merged := make([]string, 0, len(all))
	for i, v := range all {
		if i+1 == len(all) || all[i+1].name != v.name { // the last one holds
			merged = append(merged, v.assignment)
		}
	}
	slices.Sort(merged)
	return merged
}

// value is the value of a variable in env, "" if it is not there.
func value(env []string, name string) string {
	for _, assignment := range slices.Backward(env) {
		key, value, _ := strings.Cut(assignment, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// Look finds the program that a child with environment env would run as name in
// dir: a name with a separator is a path relative to dir, any other is looked
// for in the folders of env's PATH. Relative folders in PATH are passed over,
// so that no tree can plant a program. The error wraps [osexec.ErrNotFound].
func Look(name, dir string, env []string) (string, error) {
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name, env)
	}
	for _, folder := range filepath.SplitList(value(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path, err := executable(filepath.Join(folder, name), env); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("process: program %q is in no folder of PATH: %w", name, osexec.ErrNotFound)
}

// executable checks that path can be run; on Windows it also tries the endings
// of PATHEXT.
func executable(path string, env []string) (string, error) {
	paths := []string{path}
	if runtime.GOOS == "windows" {
		paths = windowsNames(path, value(env, "PATHEXT"))
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return path, nil
		}
	}
	return "", fmt.Errorf("process: %q is not a program: %w", path, osexec.ErrNotFound)
}

// windowsNames are the files that Windows looks for under a path, by the
// endings of programs, in their order.
func windowsNames(path, endings string) []string {
	if endings == "" {
		endings = ".COM;.EXE;.BAT;.CMD"
	}
	var names []string
	for _, ending := range strings.Split(endings, ";") {
		if strings.EqualFold(filepath.Ext(path), ending) {
			return []string{path}
		}
		names = append(names, path+ending)
	}
	return names
}
