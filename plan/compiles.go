package plan

import (
	"path"
	"slices"
	"strings"
)

// CanProve reports whether the check can tell work from its absence: it looks
// inside of files, and for more than that they compile. That they do says nothing
// of what they do.
func (c Check) CanProve() bool {
	if c.Kind == "command" {
		return c.StdoutContains != "" || !onlyCompiles(c.Run)
	}
	return c.LooksInside() && c.Kind != "go_build" && c.Kind != "go_vet"
}

// onlyCompiles reports whether a command line does no more than have programs
// compile, check or format source files; of one that it does not know it says no.
func onlyCompiles(line string) bool {
	found := false
	for call := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("&|;\n", r) }) {
		words := strings.Fields(call)
		for len(words) > 0 && (strings.Contains(words[0], "=") || slices.Contains(before, words[0])) {
			words = words[1:]
		}
		switch {
		case len(words) == 0, slices.Contains([]string{"cd", "set", "true", ":"}, words[0]):
		case !compiler(words):
			return false
		default:
			found = true
		}
	}
	return found
}

// before are words that have the rest of a command line carried out.
var before = []string{"env", "time", "nice", "exec", "command", "npx", "bunx"}

// compiler reports whether a call is that of a program that compiles, or is told
// to do that alone.
func compiler(words []string) bool {
	name, rest := path.Base(words[0]), words[1:]
	first := ""
	if len(rest) > 0 {
		first = rest[0]
	}
	switch name {
	case "tsc", "javac", "gofmt", "rustc", "gcc", "g++", "cc", "c++", "clang", "clang++":
		return true
	case "go":
		return first == "build" || first == "vet" || first == "install" || first == "fmt" ||
			first == "test" && slices.Contains(rest, "-c")
	case "cargo":
		return first == "build" || first == "check" || first == "clippy" || first == "fmt"
	case "dotnet", "swift", "zig":
		return first == "build"
	case "cmake":
		return first == "--build" && !slices.Contains(rest, "--target")
	case "php":
		return first == "-l"
	case "ruby":
		return first == "-c"
	case "mvn", "mvnw":
		goals := slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") || w == "clean" })
		return len(goals) == 1 && (goals[0] == "compile" || goals[0] == "test-compile")
	case "sh", "bash":
		return first == "-n"
	case "node":
		return first == "--check" || first == "-c"
	case "python", "python3":
		return first == "-m" && len(rest) > 1 && (rest[1] == "py_compile" || rest[1] == "compileall")
	}
	return false
}
