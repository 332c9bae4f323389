package acp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
)

// A kept session is one of an earlier attempt at the same step, with which the
// next one goes on. It lies in the home of the run, which the agent can write to:
// whatever it says, it opens nothing but a session of the same agent.
type kept struct {
	Session string   `json:"session"`
	Method  string   `json:"method"`
	Attempt int      `json:"attempt"`
	Phase   string   `json:"phase,omitempty"`
	Told    []string `json:"told,omitempty"` // digests of the feedback that it was told
}

const (
	keptFolder = "acp-sessions"
	keptLimit  = 64 << 10
)

// keptName is where the session of a step is kept.
func keptName(e *Executor, w *exec.Work) string {
	h := sha256.New()
	for _, part := range append([]string{e.Name(), e.Model, string(w.Step.Address), w.RunID}, e.Args...) {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return path.Join(keptFolder, hex.EncodeToString(h.Sum(nil)[:16])+".json")
}

// recall is the session that the attempt may go on with; nil where there is
// none. Another method is another way to do the step, which begins anew.
func recall(e *Executor, w *exec.Work) *kept {
	if w.Home == "" || w.Step == nil {
		return nil
	}
	root, err := os.OpenRoot(w.Home)
	if err != nil {
		return nil
	}
	defer root.Close()
	name := keptName(e, w)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > keptLimit {
		return nil
	}
	text, err := root.ReadFile(name)
	var k kept
	if err != nil || json.Unmarshal(text, &k) != nil || k.Session == "" || len(k.Session) > 1<<10 ||
		k.Method != w.Method.ID {
		return nil
	}
	return &k
}

// keep keeps the session for the next attempt. It is worth no failure.
func (k *kept) keep(e *Executor, w *exec.Work) {
	if w.Home == "" || w.Step == nil {
		return
	}
	root, err := os.OpenRoot(w.Home)
	if err != nil {
		return
	}
	defer root.Close()
	text, err := json.Marshal(k)
	if err != nil || root.MkdirAll(keptFolder, 0o700) != nil {
		return
	}
	name := keptName(e, w)
	root.Remove(name) // whatever the agent made of it
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(text)
}

// forget forgets the session: a fresh attempt begins without it.
func forget(e *Executor, w *exec.Work) {
	if w.Home == "" || w.Step == nil {
		return
	}
	if root, err := os.OpenRoot(w.Home); err == nil {
		defer root.Close()
		root.Remove(keptName(e, w))
	}
}

// digests tell which feedback a session was told.
func digests(feedback []string) (all []string) {
	for _, text := range feedback {
		sum := sha256.Sum256([]byte(text))
		all = append(all, hex.EncodeToString(sum[:8]))
	}
	return all
}

// news is the feedback that the session was not told yet; all of it where there
// is nothing new.
func (k *kept) news(feedback []string) (fresh []string) {
	for i, d := range digests(feedback) {
		if !slices.Contains(k.Told, d) {
			fresh = append(fresh, feedback[i])
		}
	}
	if len(fresh) == 0 {
		return feedback
	}
	return fresh
}

// again is what the agent is told where an attempt goes on with a conversation.
func (k *kept) again(w *exec.Work, whole string) string {
	var b strings.Builder
	switch {
	case k.Attempt == w.Attempt && k.Phase != string(w.Phase):
		return whole // the next phase of the same attempt: what is there stays
	case k.Attempt == w.Attempt || len(w.Feedback) == 0:
		b.WriteString("Your work on this step was interrupted. ")
		b.WriteString(undone)
		b.WriteString("Do the step again, from its beginning.\n\n")
		b.WriteString(whole)
		return b.String()
	}
	b.WriteString("The step was not accepted. ")
	b.WriteString(undone)
	b.WriteString("Do the step again, from its beginning, and mend what failed. Why it was not accepted:\n")
	for _, text := range k.news(w.Feedback) {
		b.WriteString("\n- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")
	}
	b.WriteString("\nWhat the step may change, and when it is done, is as you were told before.\n")
	if w.Phase != "" {
		b.WriteString("\n" + whole)
	}
	return b.String()
}

// undone is what became of the earlier attempt's work.
const undone = "Everything that you changed was undone: the files are as they were before you began, " +
	"so read them again. "
