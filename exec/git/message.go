package git

import (
	"bytes"
	"cmp"
	"context"
	"net/mail"
	"strings"
	"text/template"
	"unicode"

	"github.com/planlock/planlock/exec/commit"
)

// The trailers of every commit: which run made it of which steps of which plan.
const (
	trailerRun  = "Planlock-Run"
	trailerStep = "Planlock-Step"
	trailerPlan = "Planlock-Plan"
)

// DefaultMessage is the template of messages. Trailers stand behind what it
// says.
const DefaultMessage = `{{.Subject}}

{{if eq .Unit "step"}}{{range .Steps}}Step {{.Address}}{{end}}{{with .Task}} of "{{.}}"{{end}}, for: {{.Goal}}
{{else}}{{if ne .Subject .Goal}}For: {{.Goal}}

{{end}}{{range .Steps}}* {{.Address}} {{.Title}}
{{end}}{{end}}`

// A Message is what the template of a message may use. Each text is one line.
type Message struct {
	Subject string        // title of the step or the task, else the goal
	Unit    commit.Unit   //
	Goal    string        //
	Task    string        // its title; "" where steps of several are committed
	Steps   []commit.Done // in the order in which they ended
	Run     string        //
	Plan    string        // its digest
	Files   []string      // that changed
}

// valid refuses a committer that cannot commit.
func (c *Committer) valid() error {
	if _, err := c.template(); err != nil {
		return refuse("", "the template of messages: %v", err)
	}
	for _, who := range append([]string{c.Author}, c.CoAuthors...) {
		if who == "" {
			continue
		}
		if at, err := mail.ParseAddress(who); err != nil || at.Name == "" || oneLine(who) != who {
			return refuse("", "%q is not of the form NAME <ADDRESS>", who)
		}
	}
	return nil
}

func (c *Committer) template() (*template.Template, error) {
	text := c.Message
	if text == "" {
		text = DefaultMessage
	}
	return template.New("message").Option("missingkey=error").Parse(text)
}

// message is the message of a commit, with its trailers.
func (c *Committer) message(w commit.Work) (string, error) {
	if err := c.valid(); err != nil {
		return "", err
	}
	m := Message{Unit: w.Unit, Goal: oneLine(w.Goal), Run: w.Run, Plan: string(w.Plan)}
	for _, s := range w.Steps {
		m.Steps = append(m.Steps, commit.Done{Address: s.Address, Title: oneLine(s.Title)})
	}
	for _, change := range w.Changes {
		if !isFolder(change) {
			m.Files = append(m.Files, oneLine(change.Path))
		}
	}
	if w.Task != nil {
		m.Task = oneLine(cmp.Or(w.Task.Title, w.Task.Description))
	}
	switch m.Subject = m.Goal; {
	case w.Unit == commit.Step && len(m.Steps) > 0:
		m.Subject = m.Steps[0].Title
	case w.Unit == commit.Task && m.Task != "":
		m.Subject = m.Task
	}
	of, err := c.template()
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := of.Execute(&text, m); err != nil {
		return "", refuse("", "the template of messages: %v", err)
	}
	said := strings.TrimSpace(strings.ReplaceAll(text.String(), "\x00", ""))
	if said == "" {
		return "", refuse("", "the template of messages says nothing")
	}
	return said + "\n\n" + strings.Join(c.trailers(w), "\n") + "\n", nil
}

// trailers are the last lines of a message.
func (c *Committer) trailers(w commit.Work) []string {
	lines := []string{trailerRun + ": " + w.Run}
	for _, s := range w.Steps {
		lines = append(lines, trailerStep+": "+string(s.Address))
	}
	lines = append(lines, trailerPlan+": "+string(w.Plan))
	for _, who := range c.CoAuthors {
		lines = append(lines, "Co-authored-by: "+who)
	}
	return lines
}

// keepsTrailers refuses a message from which a hook took what finds it again.
func (r repository) keepsTrailers(ctx context.Context, file string, trailers []string) error {
	said, err := r.git(ctx, "interpret-trailers", "--parse", file)
	if err != nil {
		return err
	}
	for _, line := range trailers {
		if !strings.Contains("\n"+said, "\n"+line+"\n") {
			return refuse("", "a hook took the trailer %q out of the message", line)
		}
	}
	return nil
}

// author is who wrote what is committed, for the environment of git.
func (c *Committer) author() []string {
	at, err := mail.ParseAddress(c.Author)
	if err != nil {
		return nil
	}
	return []string{"GIT_AUTHOR_NAME=" + at.Name, "GIT_AUTHOR_EMAIL=" + at.Address}
}

// oneLine is a text without line ends and control characters.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "�"))), " ")
}
