package plan

import (
	"strings"
	"sync"
	"unicode"
)

// A Backup is a genuinely different way to do a step.
type Backup struct {
	ID, Description  string
	Run, Prompt      string
	Executor         string
	TriggerCondition string
	ExecutionMethod  string
	ToolPath         string   // a program
	Tool             string   // a tool of a server, as in "files.write_file", which planlock calls
	ToolArgs         []string // of the program; of a tool, each as NAME=VALUE
}

// OnlyRepeats reports whether the description of a backup says nothing but that
// the same method is to be tried again, which is no other way.
func (b *Backup) OnlyRepeats() bool {
	if len(b.Description) > 200 {
		return false
	}
	repeats := false
	words := strings.FieldsFunc(strings.ToLower(b.Description),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, w := range words {
		if repeatWords()[w] || w == "more" && i > 0 && words[i-1] == "once" || w == "time" && i > 0 && words[i-1] == "another" {
			repeats = true
		}
		if !repeatWords()[w] && !emptyWords()[w] && strings.Trim(w, "0123456789") != "" {
			return false
		}
	}
	return repeats
}

// SameAgain reports whether a backup is not another way to do the step: it does
// the same, or says that it does.
func (s *Step) SameAgain(b *Backup) bool {
	same := strings.TrimSpace(b.Run) == strings.TrimSpace(s.Run) && b.Prompt == s.Prompt && b.Run+b.Prompt != ""
	return same && b.ToolPath+b.Tool == "" && (b.Executor == "" || b.Executor == s.Executor) || b.OnlyRepeats()
}

// repeatWords say that something is done once more, and emptyWords do not say
// what is done differently.
var repeatWords, emptyWords = sync.OnceValue(func() map[string]bool {
	return wordSet("again retry repeat rerun redo reattempt retries re same identical unchanged")
}), sync.OnceValue(func() map[string]bool {
	return wordSet(`a an the this that it thing as is like before use exactly step steps primary method approach action operation task
		command try run do execute attempt perform once more another one second time times twice simply just please and then to of
		with if fails failed failure on after wait delay up first original previous until succeeds works or`)
})

// wordSet is a set of the words of a text.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
