package agent

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/process/environ"
)

// hidden are NAME=value pairs of a copy whose values nobody is to read: all long
// texts of a login, and of a file that somebody names, and of settings those that
// are secrets by their names.
func (f File) hidden(text []byte) []string {
	switch {
	case f.Login, f.veiled:
		return longTexts(text)
	case path.Ext(f.Name) == ".md":
		return nil
	}
	return settingsOf(string(text))
}

// longTexts are tokens and keys.
func longTexts(text []byte) (all []string) {
	each(text, func(_, value string) {
		if len(value) >= 20 {
			all = append(all, "login="+value)
		}
	})
	return all
}

// each calls do with all texts of a JSON value, and the names of the members that
// they are, or that the lists are in which they stand. It reports whether there is
// one.
func each(text []byte, do func(name, value string)) bool {
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			do(name, v)
		case []any:
			for _, x := range v {
				walk(name, x)
			}
		case map[string]any:
			for member, x := range v {
				if strings.HasSuffix(strings.ToLower(name), "headers") { // each may log somebody in
					member = name
				}
				walk(member, x)
			}
		}
	}
	var v any
	ok := json.Unmarshal(text, &v) == nil
	walk("", v)
	return ok
}

// settingLine is a setting in a file of another kind: TOML, or JSON with comments.
var settingLine = lazyre.New(`([\w-]+)"?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)')`)

// settingsOf are the secrets in a file of settings.
func settingsOf(text string) (all []string) {
	take := func(name, value string) { all = append(all, hiddenIn(name, value)...) }
	if !each([]byte(text), take) {
		for _, m := range settingLine.FindAllStringSubmatch(text, -1) {
			take(m[1], m[2]+m[3])
		}
	}
	return all
}

// hiddenOf are secrets in variables that are none by their names.
func hiddenOf(env []string) (all []string) {
	for _, assignment := range env {
		name, value, _ := strings.Cut(assignment, "=")
		if name == "OPENCODE_CONFIG_CONTENT" {
			all = append(all, settingsOf(value)...)
			continue
		}
		all = append(all, hiddenIn(name, value)...)
	}
	return all
}

// hiddenIn are the secrets in a setting or a variable: all of it, by its name, what
// its headers say, or who logs in at its address.
func hiddenIn(name, value string) (all []string) {
	label := plainName(name)
	hide := func(text string) { all = append(all, label+"="+text) }
	switch upper := strings.ToUpper(label); {
	case environ.Secret(upper):
		hide(value)
	case upper == "AUTHORIZATION", strings.HasSuffix(upper, "HEADERS"):
		for line := range strings.Lines(value) {
			if _, said, ok := strings.Cut(line, ":"); ok {
				line = said
			}
			hide(strings.TrimSpace(line))
			for _, word := range strings.Fields(line) {
				hide(word)
			}
		}
	}
	if at, err := url.Parse(value); err == nil && at.Host != "" {
		if at.User != nil {
			password, ok := at.User.Password()
			if !ok {
				password = at.User.Username()
			}
			hide(password)
			_, rest, _ := strings.Cut(value, "//")
			written, _, _ := strings.Cut(rest, "@"+at.Host)
			hide(written[strings.Index(written, ":")+1:])
		}
		for member, values := range at.Query() {
			for _, v := range values {
				if environ.Secret(plainName(member)) {
					hide(v)
				}
			}
		}
	}
	return all
}

// plainName is a name as it may be shown for a value.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
