package document_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
)

// outline lists what a Markdown document is made of, but for its words.
func outline(t testing.TB, doc []byte) []string {
	t.Helper()
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	var out []string
	err := ast.Walk(parser.Parse(text.NewReader(doc)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindText, ast.KindString, ast.KindCodeSpan:
		default:
			if entering {
				out = append(out, n.Kind().String())
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Hostile words must not change what a document is made of: it has the same
// headings, lists, tables and blocks as with harmless ones.
func TestMarkdownKeepsItsShape(t *testing.T) {
	for name, draw := range map[string]drawing{"SUMMARY.md": named("SUMMARY.md"), "report.md": document.Markdown} {
		bad, good := tellHostile(t, nasty), tellHostile(t, "harmless words")
		got, err := as(draw, bad.plan, bad.fold())
		if err != nil {
			t.Fatal(err)
		}
		want, err := as(draw, good.plan, good.fold())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(outline(t, body(want)), outline(t, body(got))); diff != "" {
			t.Errorf("%s: hostile words change it (-harmless +hostile):\n%s", name, diff)
		}
		for _, kind := range outline(t, body(got)) {
			switch kind {
			case "RawHTML", "HTMLBlock", "Link", "AutoLink", "Image", "Emphasis", "ThematicBreak":
				if kind != "Emphasis" { // the document's own
					t.Errorf("%s has a %s", name, kind)
				}
			}
		}
	}
}

// body is a document without its front matter.
func body(doc []byte) []byte {
	if rest, ok := bytes.CutPrefix(doc, []byte("---\n")); ok {
		if _, after, ok := bytes.Cut(rest, []byte("\n---\n")); ok {
			return after
		}
	}
	return doc
}

func TestFrontMatterIsYAML(t *testing.T) {
	type matter struct {
		Type, Phase, Status, Created, Validator, Outcome, Run, Plan, Tree string
		Completed                                                         int `yaml:"tasks_completed"`
		Failed                                                            int `yaml:"tasks_failed"`
		Skipped                                                           int `yaml:"tasks_skipped"`
		Blocked                                                           int `yaml:"tasks_blocked"`
		Minutes                                                           int `yaml:"total_duration_minutes"`
		Files                                                             int `yaml:"files_modified_count"`
	}
	told := hostile(t)
	doc, err := as(named("SUMMARY.md"), told.plan, told.fold())
	if err != nil {
		t.Fatal(err)
	}
	front, _, ok := strings.Cut(strings.TrimPrefix(string(doc), "---\n"), "\n---\n")
	if !ok {
		t.Fatal("no front matter")
	}
	var got matter
	d := yaml.NewDecoder(strings.NewReader(front))
	d.KnownFields(true)
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := matter{Type: "summary", Status: "executed", Created: "2026-11-20T08:30:04.070Z",
		Validator: "planlock 0.1.0",
		Outcome:   "NOT_ACHIEVED", Completed: 1, Failed: 1, Blocked: 1, Files: 3,
		Phase: got.Phase, Run: got.Run, Plan: got.Plan, Tree: got.Tree}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("front matter differs:\n%s", diff)
	}
	if !strings.HasPrefix(got.Phase, "../# <script>") || strings.ContainsAny(got.Phase, "\n\x1b") {
		t.Errorf("phase is %q", got.Phase)
	}
}

// The page asks for nothing and runs nothing.
func TestPageIsSelfContained(t *testing.T) {
	told := hostile(t)
	page, err := as(html.Page().Draw, told.plan, told.fold())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "<link", "<iframe", "src=", "@import", "url(http", "onerror", "href=\"http", "javascript:b\""} {
		if bytes.Contains(bytes.ToLower(page), []byte(bad)) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"<title>", "<svg", `role="img"`, "<details", "prefers-color-scheme: dark", "Content-Security-Policy"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func FuzzHostileWords(f *testing.F) {
	for _, s := range []string{nasty, "1. a", "- a", "```", "\x1b]0;x\x07", "a\r\nb", "\u202e", "www.a.b", "a@b.c", "![](x)", "|||", "\xff\xfe", "", " ", "\U0001f469\u200d\U0001f680"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if len(words) > 2000 {
			return
		}
		told := tellHostile(t, words)
		run := told.fold()
		plain := tellHostile(t, "harmless words")
		for _, d := range []drawing{named("SUMMARY.md"), document.Markdown} {
			got, err := as(d, told.plan, run)
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(words) == "" {
				continue // what is empty leaves out lines
			}
			want, err := as(d, plain.plan, plain.fold())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(outline(t, body(want)), outline(t, body(got))); diff != "" {
				t.Errorf("the document changes its shape:\n%s", diff)
			}
		}
		for _, file := range draw(t, told.plan, run) {
			if at := invisible(file.Content); at >= 0 {
				t.Errorf("%s has something invisible at byte %d", file.Name, at)
			}
		}
	})
}
