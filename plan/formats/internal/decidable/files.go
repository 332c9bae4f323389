package decidable

import (
	"path"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/wordlist"
)

// aPath is a path as sentences name it, in backquotes or not.
const aPath = "`?((?:[\\w.@()\\[\\]$-]+/)*[\\w.@$-]*\\.?[\\w-]+)`?"

// begin is the beginning of a sentence or of an item.
const begin = "(?:(?:^|\\n)\\s*(?:(?:[-*+]|\\d+[.)])\\s+)?|[.;:!]\\s+|>\\s*)(?:\\*\\*)?"

var (
	// thereIs is a line that says no more than that a file is there.
	thereIs = lazyre.New(`^(?i:the )?(?i:file:?|directory:?|folder:?)?\s*` + aPath +
		`\s+(?i:exists?|is (?:there|present))(?: (?i:in (?:the )?(?:repository|repo|project) root))?\.?$`)
	// thereAt is such a line that names the file last.
	thereAt = lazyre.New(`^(?i:the )?(?i:file|directory|folder) (?i:exists?)(?: (?i:at|in|as))?:?\s+` + aPath + `\.?$`)
	// contains is a line that says what stands in a file.
	contains = lazyre.New(`^(?i:the )?(?i:file )?` + aPath + "\\s+(?i:contains?|includes?|has)\\s+(?:\"([^\"`]+)\"|`([^`]+)`)\\.?$")
	// making is a sentence that says that a file is made, and no other word of it
	// that would make it mean something else.
	making = lazyre.New(begin + "(?i:create|add|write|generate)(?::?\\*\\*|\\*\\*:|:)?\\s+(?i:(?:a|an|the|new|empty|file|files|at)\\s+)*`([^`\\s]+)`" +
		`(?:[.,;:]|\s+(?i:with|containing|that|which|to|for|and|as|holding|listing|exporting|implementing|—|–|-)\b|\s*\(|(?m:[ \t]*$))`)
	// changing is such a sentence that says that a file is changed.
	changing = lazyre.New(begin + "(?i:update|modify|edit|extend|refactor|rewrite)(?::?\\*\\*|\\*\\*:|:)?\\s+(?i:(?:the|existing|file|files)\\s+)*`([^`\\s]+)`" +
		`(?:[.,;:]|\s+(?i:with|so|to|and|—|–|-)\b|\s*\(|(?m:[ \t]*$))`)
	// titled begins a title that says that something is made.
	titled = lazyre.New(`^(?:\[[^\]]{1,12}\]\s*)*(?i:create|add|write|implement|build|define|set ?up|generate|scaffold)\b`)
	// turned is a word with which a title means something else.
	turned = lazyre.New(`(?i)\b(?:not|never|if|unless|without|instead|optional\w*|delete\w*|remov\w+|mov\w+|renam\w+|e\.g)\b`)
	// madeIn is the file that something is made in: "in src/models/user.py".
	madeIn = lazyre.New("\\b(?:in|at)\\s+`?((?:[\\w.@-]+/)+[\\w.@-]*\\.\\w+)(?:`|[\\s,;:)]|\\.?$)")
	// unmaking is one that says that a file goes.
	unmaking = lazyre.New(begin + "(?i:delete|remove)(?::?\\*\\*|\\*\\*:|:)?\\s+(?i:(?:the|old|unused|obsolete|file|entire|whole)\\s+)*`([^`\\s]+)`" +
		`(?:[.;:]|(?m:[ \t]*$)|\s+(?i:file|entirely|completely)\b)`)
)

// moving is one that says that a file moves to another place.
var moving = lazyre.New(begin + "(?i:move|rename|git mv)(?::?\\*\\*|\\*\\*:|:)?\\s+(?i:(?:the|old|existing|file)\\s+)*`([^`\\s]+)`\\s*(?i:(?:to|into|as)\\s|→|->)\\s*`([^`\\s]+)`" +
	`(?:[.;:,]|(?m:[ \t]*$)|\s*\(|\s+(?:and|with|so|—|–|-)\b)`)

// fileCheck is what a line says of a file, if it says nothing else.
func fileCheck(line string) (plan.Check, bool) {
	if len(line) > maxLine {
		return plan.Check{}, false
	}
	for _, form := range []*lazyre.Regexp{thereIs, thereAt} {
		if m := form.FindStringSubmatch(line); m != nil && IsPath(m[1]) {
			return plan.Check{Kind: "file_exists", Path: strings.TrimSuffix(m[1], "/")}, true
		}
	}
	if m := contains.FindStringSubmatch(line); m != nil && IsPath(m[1]) {
		return plan.Check{Kind: "file_contains", Path: m[1], Text: m[2] + m[3]}, true
	}
	return plan.Check{}, false
}

// Derived are checks of files that a step is told to make, to change, to delete or
// to move, in so many words: "Create `x.go`", "Move `x.go` to `y/`", or a title such as "Add the model in
// src/x.go". The plan does not ask for them to be checked, and they are marked so.
// A file of which two of these are said is not among them, nor is one that only
// stands in a code fence: that shows something, and tells nobody to do it.
func Derived(title, text string) []plan.Check {
	text = unfenced(text)
	kinds := map[string]string{}
	var paths []string
	found := func(kind, name string) {
		name = strings.TrimPrefix(name, "./")
		switch was, known := kinds[name]; {
		case !IsFile(name):
		case !known:
			kinds[name], paths = kind, append(paths, name)
		case was != kind:
			kinds[name] = ""
		}
	}
	for _, part := range []string{title, text} {
		if !strings.Contains(part, "`") || len(part) > maxText {
			continue
		}
		for _, m := range making.FindAllStringSubmatch(part, -1) {
			found("file_exists", m[1])
		}
		for _, m := range changing.FindAllStringSubmatch(part, -1) {
			found("file_changed", m[1])
		}
		for _, m := range moving.FindAllStringSubmatch(part, -1) {
			to := m[2]
			if strings.HasSuffix(to, "/") {
				to += path.Base(m[1])
			}
			if IsFile(strings.TrimPrefix(to, "./")) {
				found("file_absent", m[1])
				found("file_exists", to)
			}
		}
		for _, m := range unmaking.FindAllStringSubmatch(part, -1) {
			found("file_absent", m[1])
		}
	}
	if titled.MatchString(title) && !turned.MatchString(title) && len(title) <= maxLine {
		for _, m := range madeIn.FindAllStringSubmatch(title, -1) {
			found("file_exists", m[1])
		}
	}
	var checks []plan.Check
	for _, name := range paths {
		if kinds[name] != "" {
			checks = append(checks, plan.Check{Kind: kinds[name], Path: name, Derived: true})
		}
	}
	return checks
}

// unfenced is a text without its code fences.
func unfenced(text string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return text
	}
	var b strings.Builder
	var fence outline.Fence
	for line := range strings.Lines(text) {
		if fence.Next(line) {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// IsPath reports whether a word is the path of a file or a folder in the
// workspace as plans write it: with a folder or an extension of a file, and
// nothing in it that stands for something else.
func IsPath(word string) bool {
	if word == "" || len(word) > maxLine || strings.ContainsAny(word, "*?{}<>|$~ \t:\\`'\"") ||
		strings.Contains(word, "...") ||
		strings.ContainsAny(word[:1], "/@-") {
		return false
	}
	word = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/")
	return (strings.Contains(word, "/") || IsFile(word)) && word == path.Clean(word) &&
		!strings.HasPrefix(word, "..") && ledger.CheckPattern(word) == nil
}

// IsFile reports whether a path ends as a file does: "a/config.json" and not
// "bot.use" or "e.g".
func IsFile(word string) bool {
	base := path.Base(word)
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(base), "."))
	if strings.Contains(word, "/") && !IsPath(word) || strings.HasSuffix(word, "/") {
		return false
	}
	hidden := strings.HasPrefix(base, ".") && len(base) > 2 && strings.Count(base, ".") == 1
	return extensions.Has(ext) || files.Has(base) || hidden
}

// files are those that have no extension.
var files = wordlist.List{Text: `Makefile Dockerfile LICENSE README Gemfile Rakefile Procfile Justfile justfile Jenkinsfile CODEOWNERS`}

// extensions are those of files that plans name without a folder.
var extensions = wordlist.List{Text: `astro bash bat c cc cfg cjs cmd conf cpp cs csproj css csv dart db dockerfile env ex exs fish gif go gql
	gradle graphql h hcl hpp html ico ini ipynb java jpg js json json5 jsonc jsonl jsx kt less lock lua m md mdx mjs mk mod mts
	nim nix odt pdf php pl png prisma props ps1 proto py pyi r razor rb rs rst sass scala scss sh sln sql sum svelte svg swift
	targets tex tf toml ts tsv tsx txt vue wasm xml yaml yml zig zsh`}
