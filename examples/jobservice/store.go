package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver, in pure Go

	"github.com/planlock/planlock/exec/ask"
)

// A state says who has to do something about a job.
type state string

const (
	running state = "running" // the service; it goes on when it starts again
	waiting state = "waiting" // somebody who answers
	stopped state = "stopped" // whoever stopped it, or has to mend what Says names
	ended   state = "ended"   // nobody
)

// A job is a plan, and the run that carries it out.
type job struct {
	ID    int64  `json:"id"`
	Plan  string `json:"-"`
	Run   string `json:"run"`
	State state  `json:"state"`
	Says  string `json:"says,omitempty"` // why it does not go on
}

// A store keeps jobs, and the answers that people gave.
type store struct{ db *sql.DB }

const schema = `
CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY, plan TEXT NOT NULL, run TEXT NOT NULL,
	state TEXT NOT NULL, says TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS answers (run TEXT, question TEXT, choice TEXT NOT NULL, by TEXT NOT NULL,
	reason TEXT NOT NULL, PRIMARY KEY (run, question));`

func openStore(ctx context.Context, dir string) (store, error) {
	const mode = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)"
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "jobs.db")+mode)
	if err != nil {
		return store{}, err
	}
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return store{}, errors.Join(fmt.Errorf("jobs: %w", err), db.Close())
	}
	return store{db}, nil
}

// add keeps a new job; its run is not known yet.
func (s store) add(ctx context.Context, plan string) (job, error) {
	done, err := s.db.ExecContext(ctx, `INSERT INTO jobs (plan, run, state) VALUES (?, '', ?)`, plan, running)
	if err != nil {
		return job{}, err
	}
	id, err := done.LastInsertId()
	return job{ID: id, Plan: plan, State: running}, err
}

func (s store) save(ctx context.Context, j job) error {
	_, err := s.db.ExecContext(ctx, `UPDATE jobs SET run = ?, state = ?, says = ? WHERE id = ?`, j.Run, j.State,
		j.Says, j.ID)
	return err
}

const columns = `SELECT id, plan, run, state, says FROM jobs `

func (s store) job(ctx context.Context, id string) (j job, err error) {
	row := s.db.QueryRowContext(ctx, columns+`WHERE id = ?`, id)
	return j, row.Scan(&j.ID, &j.Plan, &j.Run, &j.State, &j.Says)
}

// unfinished are the jobs that the service has to go on with.
func (s store) unfinished(ctx context.Context) (jobs []job, err error) {
	rows, err := s.db.QueryContext(ctx, columns+`WHERE state = ? ORDER BY id`, running)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var j job
		if err := rows.Scan(&j.ID, &j.Plan, &j.Run, &j.State, &j.Says); err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, rows.Err()
}

// answer keeps what somebody chose. The first answer to a question counts.
func (s store) answer(ctx context.Context, a ask.Answer) error {
	_, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)`, a.Run, a.Question,
		a.Choice, a.By, a.Reason)
	return err
}

// Ask finds the answer to a question that somebody gave. It is an
// ask.Escalator: where nobody answered yet, the run waits and is resumed.
func (s store) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt}
	row := s.db.QueryRowContext(ctx, `SELECT choice, by, reason FROM answers WHERE run = ? AND question = ?`, q.Run, q.ID)
	switch err := row.Scan(&a.Choice, &a.By, &a.Reason); {
	case errors.Is(err, sql.ErrNoRows):
		return a, ask.ErrLater
	case err != nil:
		return a, err
	}
	return a, nil
}
