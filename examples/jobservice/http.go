package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/plan"
)

// A request is the body of all requests.
type request struct {
	Plan   string   `json:"plan"`
	Choice string   `json:"choice"`
	By     string   `json:"by"`
	Reason string   `json:"reason"`
	Accept []string `json:"accept"`
}

// handler answers requests. A job of the path is found before.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /jobs", func(w http.ResponseWriter, r *http.Request) {
		var in request
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		j, err := s.submit(r.Context(), in.Plan)
		reply(w, j, err)
	})
	for pattern, do := range map[string]func(http.ResponseWriter, *http.Request, job, request) (any, error){
		"GET /jobs/{id}":                       s.show,
		"GET /jobs/{id}/questions":             s.questions,
		"POST /jobs/{id}/questions/{question}": s.answered,
		"POST /jobs/{id}/cancel": func(_ http.ResponseWriter, _ *http.Request, j job, in request) (any, error) {
			return j, s.cancel(j.ID, in.By, in.Reason)
		},
		"POST /jobs/{id}/resume": func(_ http.ResponseWriter, _ *http.Request, j job, in request) (any, error) {
			return j, s.start(j, in.By, in.Accept...)
		},
		"POST /jobs/{id}/abandon": func(_ http.ResponseWriter, r *http.Request, j job, in request) (any, error) {
			return j, s.abandon(r.Context(), j, in.By, in.Reason)
		},
		"GET /jobs/{id}/events": s.events,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var in request
			j, err := s.job(r.Context(), r.PathValue("id"))
			if err == nil && r.Method == http.MethodPost {
				err = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in)
			}
			var out any
			if err == nil {
				out, err = do(w, r, j, in)
			}
			if out != nil || err != nil {
				reply(w, out, err)
			}
		})
	}
	return mux
}

// reply writes what was asked for, or why it cannot be had.
func reply(w http.ResponseWriter, out any, err error) {
	var refused *exec.RefusedError
	var invalid *plan.CheckError
	var held *checkpoint.HeldError
	switch {
	case err == nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // who is gone needs no answer
	case errors.Is(err, sql.ErrNoRows):
		http.Error(w, "there is no such job", http.StatusNotFound)
	case errors.As(err, &invalid):
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	case errors.Is(err, errBusy), errors.As(err, &refused), errors.As(err, &held):
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// show is how a job stands, with the report of its run.
func (s *service) show(_ http.ResponseWriter, r *http.Request, j job, _ request) (any, error) {
	ws := s.workspace(j)
	out := struct {
		job
		Status string `json:"status,omitempty"`
		Report string `json:"report,omitempty"`
	}{job: j}
	run, err := ws.History(r.Context(), j.Run)
	if errors.Is(err, exec.ErrNoRun) {
		return out, nil // it has not begun
	}
	if err != nil {
		return nil, err
	}
	p, err := ws.Plan(r.Context(), run)
	if err != nil {
		return nil, err
	}
	out.Status, out.Report = string(run.Status), (&exec.Report{Run: run, Plan: p}).String()
	return out, nil
}

func (s *service) workspace(j job) exec.Workspace {
	return exec.Workspace{Dir: s.controller(j).Dir, Documents: []document.Document{}}
}

// questions are those that wait for somebody.
func (s *service) questions(_ http.ResponseWriter, r *http.Request, j job, _ request) (any, error) {
	run, err := s.workspace(j).History(r.Context(), j.Run)
	if err != nil {
		return nil, err
	}
	open := run.Questions()
	if open == nil {
		open = []*ask.Question{}
	}
	return open, nil
}

// answered takes an answer to a question that waits, and goes on with the job.
func (s *service) answered(_ http.ResponseWriter, r *http.Request, j job, in request) (any, error) {
	run, err := s.workspace(j).History(r.Context(), j.Run)
	if err != nil {
		return nil, err
	}
	for _, q := range run.Questions() {
		if q.ID != r.PathValue("question") {
			continue
		}
		a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: in.Choice, By: in.By,
			Reason: in.Reason, At: time.Now()}
		if err := q.Check(a); err != nil {
			return nil, err
		}
		if err := s.answer(r.Context(), a); err != nil {
			return nil, err
		}
		return j, s.start(j, "")
	}
	return nil, fmt.Errorf("no question %q waits", r.PathValue("question"))
}

// events sends what happened in a run, then what happens, until it ends or
// nobody listens. Each event is known by its place in the journal: a browser
// that lost the connection names the last one, and misses nothing.
func (s *service) events(w http.ResponseWriter, r *http.Request, j job, _ request) (any, error) {
	after, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // from the beginning, else
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	for e, err := range s.workspace(j).Follow(r.Context(), j.Run, after) {
		if err != nil {
			fmt.Fprint(w, "retry: 100\n\n") // the run has not begun: the browser asks again
			return nil, nil
		}
		data, err := json.Marshal(map[string]any{"kind": e.Kind, "step": e.Step, "attempt": e.Attempt, "fact": e.Fact.Type(),
			"says": e.Fact.String(), "time": e.Time})
		if err != nil {
			return nil, nil
		}
		_, err = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, data)
		if err := errors.Join(err, out.Flush()); err != nil {
			return nil, nil
		}
	}
	return nil, nil
}
