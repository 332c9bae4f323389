package spec

import (
	"regexp"
	"strings"
)

// A label is a line such as "**Expected output:** a report": what it calls itself, in small letters, and its value.
type label struct {
	name  string
	value string
	at    int // of the value
}

var (
	boldLabel  = regexp.MustCompile(`^(?:[-*+] +)?(?:\[[ xX~-]\] +)?\*\*([^*]+?)(?::\s*\*\*|\*\*\s*:)\s*`)
	plainLabel = regexp.MustCompile(`^(?:[-*+] +)?(?i:(primary method|backup +\[?[\w.-]+\]?|expected output|critical|mode|max retries|goal|` +
		`depends on|dependencies|tasks included|parallel allowed)) *: +`)
)

// labelled reads a line that begins with a label in bold, or with one of those that a step has.
func labelled(l line) (label, bool) {
	for _, form := range [...]*regexp.Regexp{boldLabel, plainLabel} {
		if m := form.FindStringSubmatchIndex(l.text); m != nil {
			return label{name: strings.ToLower(spaced(l.text[m[2]:m[3]])), value: strings.TrimSpace(l.text[m[1]:]), at: l.at + m[1]}, true
		}
	}
	return label{}, false
}

var backupLabel = regexp.MustCompile(`^backup(?: *\[([^\]]*)\]| +([a-z_-]*\d[\w.-]*))?(?: *\([^)]*\))?$`)

// backupID is the id in "backup [1]", and whether a label is one of a backup. One without an id has the next.
func backupID(name string) (string, bool) {
	m := backupLabel.FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return strings.TrimSpace(m[1] + m[2]), true
}

// ident is an id in brackets, or one that has a digit in it.
const ident = `(?:\[([^\]]+)\]|([A-Za-z_-]*\d[\w.-]*))`

var (
	taskHeading    = regexp.MustCompile(`^Task +` + ident + ` *:\s*(.*)$`)
	bareTask       = regexp.MustCompile(`^Task +\[([^\]]+)\]$`)
	stepHeading    = regexp.MustCompile(`^Step +` + ident + ` *:\s*(.*)$`)
	specletHeading = regexp.MustCompile(`^(?i:speclet) +\[([^\]]+)\] *(?::\s*(.*))?$`)
	boldStep       = regexp.MustCompile(`^(?:\[[ xX~-]\] +)?\*\*Step +` + ident + ` *(?::\s*\*\*|\*\*\s*:)\s*(.*)$`)
	plainStep      = regexp.MustCompile(`^(?:\[[ xX~-]\] +)?Step +` + ident + ` *:\s*(.*)$`)
)

// numbered takes the id and the title out of a heading or an item of one of the forms.
func numbered(text string, forms ...*regexp.Regexp) (id, title string, ok bool) {
	for _, form := range forms {
		if m := form.FindStringSubmatch(text); m != nil {
			id, title = m[1], ""
			if len(m) > 3 {
				id += m[2]
			}
			if len(m) > 2 {
				title = m[len(m)-1]
			}
			return strings.TrimSpace(id), strings.TrimSpace(title), true
		}
	}
	return "", "", false
}

var flagSuffix = regexp.MustCompile(`(?i)\s*\((non-critical|not critical|critical)\)\s*$`)

// takeFlag takes "(critical)" or "(non-critical)" off the end of a title.
func takeFlag(title string) (string, *bool) {
	m := flagSuffix.FindStringSubmatchIndex(title)
	if m == nil {
		return title, nil
	}
	yes := strings.EqualFold(title[m[2]:m[3]], "critical")
	return title[:m[0]], &yes
}

// truth reads a boolean that may have a remark behind it: "false (nice to have)".
func truth(text string) *bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return nil
	}
	var yes bool
	switch words[0] {
	case "true", "yes":
		yes = true
	case "false", "no":
	default:
		return nil
	}
	return &yes
}

var remark = regexp.MustCompile(`\s*\([^)]*\)`)

// listed reads a list as it stands in a line: `["a", "b"]`, a, b, or None; nil where it cannot be told.
func listed(value string) []string {
	value = strings.Trim(strings.TrimSpace(remark.ReplaceAllString(value, "")), "`")
	value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "["), "]")
	list := []string{}
	for _, part := range strings.Split(value, ",") {
		part = strings.Trim(strings.TrimSpace(part), "`\"' ")
		if part == "" || strings.EqualFold(part, "none") || part == "-" || strings.EqualFold(part, "n/a") {
			continue
		}
		list = append(list, part)
	}
	return list
}
