// Package pgserver starts PostgreSQL servers for tests, each a process of its own
// that listens at a socket in a temporary folder, from the programs of the
// machine.
package pgserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Secret is the password in the URLs of servers: they trust everybody, and no
// error may have it.
const Secret = "s3cr3t-w0rd"

// A Server is one that runs, or was stopped.
type Server struct {
	Dir      string
	programs string // the folder that has them
	settings []string
	running  *exec.Cmd
	log      *os.File
}

// New makes a server and starts it with these settings, as in "fsync=off". It
// fails where the machine has no such programs. The caller ends it with Remove.
func New(settings ...string) (*Server, error) {
	programs, err := found()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "planlock-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, programs: programs, settings: settings}
	if err := s.own(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.log, err = os.Create(filepath.Join(dir, "log")); err == nil {
		made := s.command("initdb", "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")
		if text, failed := made.CombinedOutput(); failed != nil {
			err = fmt.Errorf("initdb: %w: %s", failed, text)
		} else {
			err = s.Start()
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// found is the folder that has the programs of the server.
func found() (string, error) {
	later, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // it is well formed
	slices.Reverse(later)
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), later...) {
		if !slices.ContainsFunc([]string{"initdb", "postgres", "pg_isready"}, func(name string) bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err != nil
		}) {
			return dir, nil
		}
	}
	return "", errors.New("there are no programs initdb, postgres and pg_isready")
}

// Start starts the server and waits until it answers.
func (s *Server) Start() error {
	args := []string{"-D", filepath.Join(s.Dir, "data"), "-k", s.Dir, "-c", "listen_addresses="}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	s.running = s.command("postgres", args...)
	s.running.Stdout, s.running.Stderr = s.log, s.log
	if err := s.running.Start(); err != nil {
		return err
	}
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		said, err := s.command("pg_isready", "-h", s.Dir, "-U", "postgres").CombinedOutput()
		if err == nil {
			return nil
		}
		if time.Now().After(limit) {
			text, _ := os.ReadFile(s.log.Name())
			return errors.Join(fmt.Errorf("the server does not answer: %s: %s", said, text), s.Stop(os.Kill))
		}
	}
}

// Stop stops the server by a signal, and waits until it has ended: an interrupt
// is polite, [Crash] is not.
func (s *Server) Stop(how os.Signal) error {
	return errors.Join(s.running.Process.Signal(how), Ended(s.running.Wait()))
}

// Ended is nil for a program that was ended by a signal.
func Ended(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

// PID is the server's process, which has a group of its own.
func (s *Server) PID() int { return s.running.Process.Pid }

// Remove stops the server and removes all that it kept.
func (s *Server) Remove() error {
	return errors.Join(s.Stop(os.Interrupt), s.log.Close(), os.RemoveAll(s.Dir))
}

// URL is the address of a database of the server.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres:%s@/%s?host=%s", Secret, database, s.Dir)
}
