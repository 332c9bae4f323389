package phase

import (
	"strconv"

	"github.com/planlock/planlock/internal/lazyre"
)

// A value is what stands behind a key of YAML: a text, a list or a map. Texts
// are as written.
type value struct {
	key   string
	line  int // from 0
	text  string
	items []value // of lists and maps
	kind  byte    // 's', 'l' or 'm'; 0: there is none
}

// get finds a member of a map. One that is not there has the line of the map,
// so that a remark about what is missing stands where it belongs.
func (v value) get(key string) value {
	for _, m := range v.items {
		if v.kind == 'm' && m.key == key {
			return m
		}
	}
	return value{line: v.line}
}

// list is the value as a list of texts: nil where nothing is said, empty for
// none. A text alone is a list of names as people write it, between commas.
func (v value) list() []string {
	switch v.kind {
	case 'l':
		list := []string{}
		for _, it := range v.items {
			if it.kind == 's' && it.text != "" {
				list = append(list, it.text)
			}
		}
		return list
	case 's':
		return splitNames(v.text)
	}
	return nil
}

// texts are all texts in a value, in order: of lists, and of maps whose keys are
// headings above them.
func (v value) texts() []string {
	switch v.kind {
	case 's':
		return []string{v.text}
	case 0:
		return nil
	}
	list := []string{}
	for _, it := range v.items {
		switch {
		case it.kind == 's' && it.key != "": // a text with a colon in it, or a heading and its one line
			list = append(list, it.key+": "+it.text)
		case it.kind == 's' && it.text == "":
		default:
			list = append(list, it.texts()...)
		}
	}
	return list
}

// wave is a declared wave, and whether one was declared as a number of at most
// six digits; other words say nothing that could be compared.
func (v value) wave() (int, bool) {
	if v.kind != 's' || !numbered.MatchString(v.text) || len(v.text) > 6 {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	return n, err == nil
}

// numbered is a number as a wave is written.
var numbered = lazyre.New(`^\d+$`)
