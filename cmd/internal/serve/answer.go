package serve

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// mostAnswer is how many bytes of an answer are read.
const mostAnswer = 64 << 10

// answer leaves an answer to a question, if it is one to the words that the page
// showed.
func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, mostAnswer)
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, "The answer cannot be read, or is too long.")
		return
	}
	id := r.PathValue("run")
	if !same(r.PostForm.Get("csrf"), s.door.derive("answer "+id)) {
		refuse(w, http.StatusForbidden, "That answer is not from a page of this server. Reload the page, and answer there.")
		return
	}
	run, err := s.fold(r.Context(), id)
	if err != nil {
		failed(w, err)
		return
	}
	typed := reply{Question: r.PostForm.Get("question"), Choice: r.PostForm.Get("choice"),
		Acknowledged: r.PostForm.Get("acknowledged"), Reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	q := questionOf(run, typed.Question)
	switch {
	case q == nil:
		typed.Wrong = "The run does not ask that any more."
	case r.PostForm.Get("asked") != strconv.FormatInt(q.Asked.UnixNano(), 10):
		typed.Wrong = "The question was put anew since the page was drawn. Read it again."
	case typed.Choice == "":
		typed.Wrong = "Choose one of the answers."
	default:
		err := s.Answer(r.Context(), run, *q, ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt,
			Choice: typed.Choice, Acknowledged: typed.Acknowledged, Reason: typed.Reason, By: s.By, At: s.Now()})
		var refused *ask.RefusedError
		switch {
		case errors.As(err, &refused):
			typed.Wrong = "The answer does not count: " + refused.Why
		case err != nil:
			failed(w, err)
			return
		}
	}
	if typed.Wrong == "" {
		http.Redirect(w, r, "/runs/"+id+"#questions", http.StatusSeeOther)
		return
	}
	s.drawRun(w, r, run, http.StatusUnprocessableEntity, typed)
}

// A reply is what somebody typed, and what is wrong with it.
type reply struct {
	Question, Choice, Acknowledged, Reason string
	Wrong                                  string
}

// questionOf is a question that the run waits for, or nil.
func questionOf(run *history.Run, id string) *ask.Question {
	for _, q := range run.Questions() {
		if q.ID == id {
			return q
		}
	}
	return nil
}
