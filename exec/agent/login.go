package agent

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/jsontree"
)

// A login is a file of the user that logs an agent in, as it was when it was
// copied last.
type login struct {
	File
	from string
	perm fs.FileMode
	text []byte
}

// back writes logins back that the agent has refreshed, unless somebody else did
// so meanwhile. It reports those that it does not take for one.
func (h *home) back() error {
	h.one.Lock()
	defer h.one.Unlock()
	var errs []error
	for i := range h.logins {
		if err := h.refresh(&h.logins[i]); err != nil {
			errs = append(errs, fmt.Errorf("agent: %s is not written back: %w", h.logins[i].shown(), err))
		}
	}
	return errors.Join(errs...)
}

func (h *home) refresh(l *login) error {
	left, err := h.read(l.below())
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(left, l.text) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := l.renew(string(l.text), string(left))
	if err != nil || text == string(l.text) {
		return err
	}
	theirs, err := os.ReadFile(l.from)
	if err != nil || !bytes.Equal(theirs, l.text) {
		return nil // the user logged out, or in once more: that stands
	}
	to, err := filepath.EvalSymlinks(l.from)
	if err != nil {
		return err
	}
	if err := (*disk.Disk)(nil).Replace(to, []byte(text), l.perm); err != nil {
		return err
	}
	l.text = []byte(text)
	h.hidden = append(h.hidden, longTexts(l.text)...)
	return nil
}

// renew is the login of the user with what the agent renewed in it, as it was
// written but for that. Whatever runs in the agent's home can write what is left
// there: so only tokens, and when they end, are taken from it, and nothing where
// it is not the same login.
func (f File) renew(was, is string) (string, error) {
	before, err := jsontree.ParseStrict(was)
	if err != nil {
		return "", fmt.Errorf("the user's file is no JSON that is understood: %w", err)
	}
	after, err := jsontree.ParseStrict(is)
	if err != nil {
		return "", fmt.Errorf("what the agent left is no JSON: %w", err)
	}
	if before.Kind() != jsontree.Object || after.Kind() != jsontree.Object {
		return "", errors.New("what the agent left is no JSON object, or the user's file is none")
	}
	r := renewal{of: f, was: was}
	if err := r.value(before, after, nil); err != nil {
		return "", err
	}
	return r.text.String() + was[r.done:], nil
}

// A renewal puts together what a login is from now on.
type renewal struct {
	of   File
	was  string
	text strings.Builder
	done int // how much of what was is in the text
}

// value compares a value with what became of it, and takes over what was renewed.
func (r *renewal) value(was, is jsontree.Value, path []string) error {
	name := strings.Join(path, ".")
	switch {
	case !is.OK() && matches(r.of.moves, path) && !matches(r.of.renewed, path):
		return nil
	case !is.OK():
		return fmt.Errorf("what the agent left has no %q any more", name)
	case same(was, is):
		return nil
	case matches(r.of.renewed, path):
		if err := fresh(was, is); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		r.text.WriteString(r.was[r.done:was.Offset()])
		r.text.WriteString(is.Raw())
		r.done = was.Offset() + len(was.Raw())
		return nil
	case was.Kind() == jsontree.Object && is.Kind() == jsontree.Object:
		for member := range was.Each { // what is new beside them is left where it is
			if err := r.value(member, is.Get(member.Key()), slices.Concat(path, []string{member.Key()})); err != nil {
				return err
			}
		}
		return nil
	case matches(r.of.moves, path):
		return nil
	}
	return fmt.Errorf("the agent changed %q, which is no part of a refreshed login", name)
}

// matches reports whether one of the patterns is a path. "*" is any name.
func matches(patterns []string, path []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.EqualFunc(strings.Split(pattern, "."), path, func(p, name string) bool { return p == "*" || p == name })
	})
}

// same reports whether two values say the same.
func same(a, b jsontree.Value) bool {
	if a.Kind() != b.Kind() || a.Len() != b.Len() || a.Text() != b.Text() {
		return false
	}
	if a.Kind() == jsontree.Object {
		for member := range a.Each {
			if other := b.Get(member.Key()); !other.OK() || !same(member, other) {
				return false
			}
		}
		return true
	}
	others := slices.Collect(b.Each)
	i := -1
	for item := range a.Each {
		if i++; !same(item, others[i]) {
			return false
		}
	}
	return true
}

// mostToken bounds a token.
const mostToken = 16 << 10

// fresh says why a value is not the one that was there, renewed: a token, or when
// one ends.
func fresh(was, is jsontree.Value) error {
	kind := is.Kind()
	if kind != jsontree.String && kind != jsontree.Number || was.Kind() != kind && was.Kind() != jsontree.Null {
		return fmt.Errorf("it was of type %s, and is of type %s now", was.Kind(), kind)
	}
	text := is.Text()
	if text == "" || len(text) > mostToken || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("it is no token any more")
	}
	old, known := claims(was.Text())
	if !known {
		return nil // it does not say whose it is
	}
	now, ok := claims(text)
	if !ok {
		return errors.New("it does not say any more whose token it is")
	}
	for _, path := range owners {
		if before := claim(old, path...); before != nil && before != claim(now, path...) {
			return fmt.Errorf("it is the token of another account: its %q is another", path[len(path)-1])
		}
	}
	return nil
}

// owners are the claims of a token that say whose it is.
var owners = [][]string{
	{"iss"}, {"sub"}, {"email"},
	{"https://api.openai.com/auth", "chatgpt_account_id"}, {"https://api.openai.com/auth", "chatgpt_user_id"},
	{"https://api.openai.com/auth", "user_id"}, {"https://api.openai.com/profile", "email"},
}

// claims are what a JSON Web Token says; ok is false for any other text. Whoever
// signed it is not asked.
func claims(token string) (all map[string]any, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	return all, err == nil && json.Unmarshal(text, &all) == nil && all != nil
}

// claim is a text among the claims; nil where there is none.
func claim(all map[string]any, path ...string) any {
	for _, name := range path[:len(path)-1] {
		all, _ = all[name].(map[string]any)
	}
	if text, ok := all[path[len(path)-1]].(string); ok {
		return text
	}
	return nil
}
