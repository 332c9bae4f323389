package plan

import (
	"slices"
	"strings"
	"unicode"
)

// Builds is what makes a goal one that builds software, in lower case; "" if
// nothing does. It is the first whole word of build, create, develop, system,
// application and app; or else a word such as "service" or "game" that is what the
// goal implements, writes, codes, programs or makes: "Implement a REST service",
// and not "Write a report about the service".
func Builds(goal string) string {
	words := strings.FieldsFunc(strings.ToLower(goal),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range words {
		if slices.Contains(buildWords, w) {
			return w
		}
	}
	made := false
	for i, w := range words {
		last := i+1 == len(words) || slices.Contains(turnWords, words[i+1])
		switch {
		case slices.Contains(makeWords, w):
			made = true
		case slices.Contains(turnWords, w):
			made = false
		case made && last && slices.Contains(softWords, w):
			return w
		}
	}
	return ""
}

var (
	buildWords = []string{"build", "create", "develop", "system", "application", "app"}
	makeWords  = []string{"implement", "write", "code", "program", "make"}
	// softWords are what software is called.
	softWords = []string{"service", "microservice", "server", "game", "api", "tool", "cli", "program", "website", "webapp", "bot",
		"backend", "frontend", "library", "sdk", "plugin", "daemon", "compiler"}
	// turnWords end what is made.
	turnWords = []string{"that", "which", "who", "for", "in", "with", "to", "of", "on", "about", "and", "or", "from", "by", "using", "as",
		"at", "into", "like", "where", "so"}
)
