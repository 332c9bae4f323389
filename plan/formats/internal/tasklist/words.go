package tasklist

import (
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// names are the ids in a list; nil where there is none.
func names(v jsontree.Value) []string {
	if v.Kind() != jsontree.Array {
		return nil
	}
	list := []string{}
	for d := range v.Each {
		if name := strings.TrimSpace(d.Text()); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// paragraphs joins the texts of some members.
func paragraphs(v jsontree.Value, keys ...string) string {
	var list []string
	for _, key := range keys {
		if text := strings.TrimSpace(v.Get(key).Text()); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n\n")
}

// bullets are the items of a text with a list in it, or the text as one.
func bullets(v jsontree.Value) []string {
	if v.Kind() == jsontree.Array {
		return names(v)
	}
	text := strings.TrimSpace(v.Text())
	if text == "" {
		return nil
	}
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if it, ok := outline.ListItem(line); ok && it.Indent == 0 {
			list = append(list, it.Text)
		}
	}
	if list == nil {
		list = []string{text}
	}
	return list
}
