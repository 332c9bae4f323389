package method

import (
	"path"
	"slices"
	"strings"
)

// Programs are the programs that a shell text runs, in order and once each:
// their names without folders, and what they are told to do where they are told
// that by a word of its own ("go test", "npm run"). Words of the shell itself,
// variables and what is assigned to them are left out.
func Programs(run string) []string {
	var all []string
	for _, c := range commands(run) {
		words := c.words
		for len(words) > 0 && (leads(words[0]) || assigns(words[0])) {
			words = words[1:]
		}
		if len(words) == 0 || ofShell(words[0]) || strings.ContainsAny(words[0], "$`") {
			continue
		}
		name := path.Base(words[0])
		if verb := verbOf(name, words[1:]); verb != "" {
			name += " " + verb
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// leads reports whether a word stands in front of a command.
func leads(word string) bool {
	switch word {
	case "!", "if", "then", "else", "elif", "do", "while", "until", "time", "exec", "command", "env", "nice", "sudo":
		return true
	}
	return false
}

// assigns reports whether a word gives a variable a value.
func assigns(word string) bool {
	name, _, is := strings.Cut(word, "=")
	return is && name != "" && strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// ofShell reports whether a command is none of a program's, and says nothing of
// what a text is for.
func ofShell(word string) bool {
	switch word {
	case "cd", "set", "export", "unset", "true", "false", ":", "[", "test", "fi", "done", "for", "case", "esac", "exit",
		"trap", "read", "umask", "wait", "shift", "return", "eval", "local":
		return true
	}
	return false
}

// verbOf is the word that says what a program with many uses does.
func verbOf(program string, words []string) string {
	switch program {
	case "go", "git", "npm", "yarn", "pnpm", "npx", "cargo", "docker", "kubectl", "pip", "pip3", "poetry", "uv", "make",
		"terraform", "dotnet", "mvn", "gradle", "helm", "gh", "bundle", "apt-get", "apt", "brew":
		for _, w := range words {
			if !strings.HasPrefix(w, "-") {
				return w
			}
		}
	case "python", "python3":
		if len(words) > 1 && words[0] == "-m" {
			return "-m " + words[1]
		}
	}
	return ""
}
