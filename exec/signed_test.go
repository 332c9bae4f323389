package exec_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Keys that are the same each time.
var owner, successor, foreigner = seeded(1), seeded(2), seeded(3)

func seeded(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func keyOf(t *testing.T, signer crypto.Signer) record.Key {
	t.Helper()
	key, err := record.KeyOf(signer.Public())
	must(t, err)
	return key
}

// A signedRun is a run that died in its second step, the first time that it
// came there; its journal and contents outlive the controller.
type signedRun struct {
	*exectest.Bench
	log    *checkpoint.MemoryLog
	locked *plan.Locked
	run    string
	tried  []string // attempts that an executor was called for
}

// dies begins a run, which dies. With retry the attempt in which it does is the
// second one of its step.
func dies(t *testing.T, signer crypto.Signer, retry bool) *signedRun {
	t.Helper()
	s := &signedRun{log: &checkpoint.MemoryLog{}}
	dead := false
	executor := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		s.tried = append(s.tried, string(w.Step.Address)+" "+w.Method.ID)
		switch {
		case w.Step.Address == "1.2" && retry && w.Attempt == 1:
			return exectest.Fail("not yet")(ctx, w)
		case w.Step.Address == "1.2" && !slices.Contains(s.tried, "dead"):
			s.tried, dead = append(s.tried, "dead"), true
		}
		return goodScript.Execute(ctx, w)
	})
	s.Bench = exectest.New(t, twoSteps("[[tasks.steps.backups]]\nid = 1\ndescription = \"Another way\"\nrun = \"true\""),
		workspace, executor)
	s.Controller.Runs = exectest.Logs(s.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) {
		return dyingLog{s.log, &dead}, nil
	})
	s.Controller.Blobs = &checkpoint.Memory{}
	s.Controller.Signer = signer
	s.locked = s.Lock(t)
	report, err := s.Controller.Run(t.Context(), s.locked)
	if !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	dead = false
	s.run, s.log = report.Run.Started.Run, s.log.Reopen()
	return s
}

// A dyingLog takes nothing any more once its process is dead.
type dyingLog struct {
	*checkpoint.MemoryLog
	dead *bool
}

func (l dyingLog) Append(ctx context.Context, batch [][]byte) error {
	if *l.dead {
		return errCut
	}
	return l.MemoryLog.Append(ctx, batch)
}

// resume goes on with the run, with the key and on the word of whoever may be.
func (s *signedRun) resume(t *testing.T, signer crypto.Signer, accepted ...string) (*exec.Report, error) {
	t.Helper()
	s.Controller.Signer, s.log = signer, s.log.Reopen()
	return s.Controller.ResumeAccepting(t.Context(), s.locked, s.run, "ana", accepted...)
}

// history is the run as its journal tells it.
func (s *signedRun) history(t *testing.T) *history.Run {
	t.Helper()
	run, err := s.workspace().History(t.Context(), s.run)
	must(t, err)
	return run
}

func (s *signedRun) workspace() exec.Workspace {
	return exec.Workspace{Dir: s.Dir, Blobs: s.Controller.Blobs,
		Runs: exectest.Logs(s.Dir, func(context.Context, string) (checkpoint.Log, error) { return s.log.Reopen(), nil })}
}

// forge adds facts to the journal, as somebody does who can write it: signed by
// a key, or by none.
func (s *signedRun) forge(t *testing.T, signer crypto.Signer, facts ...history.Located) {
	t.Helper()
	s.log = s.log.Reopen()
	j, err := checkpoint.OpenJournal(t.Context(), s.log, s.run, nil, nil)
	must(t, err)
	if signer != nil {
		must(t, j.SignWith(signer, func(record.Fact) bool { return true }))
	}
	for _, f := range facts {
		fact, err := f.Encode()
		must(t, err)
		_, err = j.Append(t.Context(), fact)
		must(t, err)
	}
}

// kinds are the types of the records from one on.
func (s *signedRun) kinds(t *testing.T, from uint64) (kinds []string) {
	t.Helper()
	all, err := s.workspace().Records(t.Context(), s.run)
	must(t, err)
	for _, rec := range all[from-1:] {
		kinds = append(kinds, rec.Type)
	}
	return kinds
}

// What is relied on is signed in the write that makes it; a controller that died
// leaves intents unsigned, of which nothing comes.
func TestJournalIsSigned(t *testing.T) {
	for name, retry := range map[string]bool{"first attempt": false, "second attempt": true} {
		t.Run(name, func(t *testing.T) {
			s := dies(t, owner, retry)
			before := s.history(t)
			key := keyOf(t, owner)
			if before.Started.Signer != key || before.Signed.Key != key || before.Signed.Head.Seq == 0 ||
				len(before.Signed.End) == 0 || len(before.Signed.Claims()) > 0 {
				t.Fatalf("it is signed: %+v", before.Signed)
			}
			must(t, before.Signed.Verify(s.run))
			first := before.Head.Seq + 1
			report, err := s.resume(t, owner)
			must(t, err)
			if got := s.kinds(t, first)[:2]; !slices.Equal(got, []string{"disowned", "restore-begun"}) {
				t.Errorf("the end is followed by %q", got)
			}
			after := report.Run.Step("1.2")
			lost := after.Undone
			if len(lost) != 1 || lost[0].Failure == nil || lost[0].Failure.Class != history.Lost ||
				after.Status != history.Completed || after.Last().Failure != nil {
				t.Errorf("the attempt that died is %+v, and the step %s", lost, after.Status)
			}
			if want := []string{"1.1 primary", "1.2 primary", "dead", "1.2 primary"}; !retry &&
				!slices.Equal(s.tried, want) {
				t.Errorf("tried were %q", s.tried)
			}
			proof, err := s.workspace().Verify(t.Context(), s.run)
			must(t, err)
			if signed := proof.Run.Signed; signed.Head.Seq != proof.Run.Head.Seq || len(signed.End) > 0 {
				t.Errorf("of %d records %d are signed", proof.Run.Head.Seq, signed.Head.Seq)
			}
		})
	}
}

// Who has no key adds nothing to a journal that a controller believes.
func TestForgedEndsAreRefused(t *testing.T) {
	step := history.Where{Step: "1.2"}
	attempt := history.Where{Step: "1.2", Attempt: 1}
	run := history.Where{}
	for name, facts := range map[string][]history.Located{
		"step-completed 1.2": attempt.Locate(&history.AttemptEnded{}, &history.StepCompleted{Method: "primary"}),
		"step-skipped 1.2":   step.Locate(&history.StepSkipped{By: "ana"}),
		"attempt-failed 1.2": attempt.Locate(&history.AttemptFailed{Class: history.Crashed}),
		"answered 1.2": step.Locate(&history.Asked{Question: ask.Question{ID: "q", Step: "1.2"}},
			&history.Answered{Answer: ask.Answer{Question: "q", Choice: "k", By: "ana"}}),
		"delivered":       run.Locate(&history.Delivered{}),
		"restore-begun":   run.Locate(&history.RestoreBegun{To: record.Snapshot{Tree: "sha256:00"}}),
		"run-paused":      run.Locate(&history.Paused{Why: "waiting"}),
		"moves-accepted":  run.Locate(&history.MovesAccepted{By: "ana"}),
		"policy-changed":  run.Locate(&history.PolicyChanged{}),
		"run-ended":       run.Locate(&history.Ended{Status: history.Achieved}),
		"cycle 1.2":       attempt.Locate(&history.Cycle{Phase: history.Red}),
		"job-done 1.2":    attempt.Locate(&history.JobDone{Run: "true"}),
		"rolled-back 1.1": history.Where{Step: "1.1"}.Locate(&history.RolledBack{To: "1.1"}),
	} {
		t.Run(name, func(t *testing.T) {
			s := dies(t, owner, false)
			s.forge(t, nil, facts...)
			had := s.history(t).Head.Seq
			for what, do := range map[string]func() error{
				"resume": func() error { _, err := s.resume(t, owner); return err },
				"abandon": func() error {
					s.log = s.log.Reopen()
					_, err := s.Controller.Abandon(t.Context(), s.run, "ana", "")
					return err
				},
				"rollback": func() error {
					s.log = s.log.Reopen()
					_, err := s.Controller.Rollback(t.Context(), s.run, "1.1", "ana", "")
					return err
				},
			} {
				var refused *exec.RefusedError
				if err := do(); !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if now := s.history(t).Head.Seq; now != had {
				t.Errorf("%d records follow", now-had)
			}
		})
	}
}

// A journal that somebody extends who has no key is refused wherever it is cut
// off before: what it claims then is signed by nobody.
func TestExtendedAnywhereIsRefused(t *testing.T) {
	s := dies(t, owner, true)
	var raw [][]byte
	for r, err := range s.log.Replay(t.Context()) {
		must(t, err)
		raw = append(raw, bytes.Clone(r))
	}
	all, err := s.workspace().Records(t.Context(), s.run)
	must(t, err)
	positions := 0
	for at := 1; at <= len(raw); at++ {
		for what, fact := range map[string]history.Fact{
			"run-paused":     &history.Paused{Why: "waiting"},
			"moves-accepted": &history.MovesAccepted{By: "mallory"},
		} {
			s.log = &checkpoint.MemoryLog{}
			must(t, s.log.Append(t.Context(), raw[:at]))
			s.forge(t, nil, history.Where{}.Locate(fact)...)
			verified, err := s.workspace().Verify(t.Context(), s.run)
			if err != nil || len(verified.Run.Signed.Claims()) == 0 {
				t.Errorf("verify, %s after record %d (%s): %v", what, at, all[at-1].Type, err)
			}
			var refused *exec.RefusedError
			if _, err := s.resume(t, owner); !errors.As(err, &refused) {
				t.Errorf("resume, %s after record %d (%s): %v", what, at, all[at-1].Type, err)
			}
		}
		positions++
	}
	if positions < 16 {
		t.Errorf("it was extended at %d positions, want 16 at least", positions)
	}
}

// Of intents that nobody signed nothing comes, whatever they say.
func TestForgedIntentsAreDisowned(t *testing.T) {
	elsewhere := &history.StepStarted{Checkpoint: record.Snapshot{Tree: "sha256:00", Manifest: "sha256:11"}}
	for name, facts := range map[string][]history.Located{
		"another checkpoint": {{Where: history.Where{Step: "1.2"}, Fact: elsewhere}},
		"another method": {{Where: history.Where{Step: "1.2", Attempt: 2},
			Fact: &history.AttemptStarted{Method: "backup_1"}}},
		"other stamps": {{Where: history.Where{Step: "1.2", Attempt: 2},
			Fact: &history.AttemptStarted{Method: "primary", Stamps: "sha256:22", Reinstates: 1, Phase: history.Green}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := dies(t, owner, false)
			s.forge(t, nil, facts...)
			report, err := s.resume(t, owner)
			must(t, err)
			if want := []string{"1.1 primary", "1.2 primary", "dead", "1.2 primary"}; !slices.Equal(s.tried, want) {
				t.Errorf("tried were %q", s.tried)
			}
			at := report.Run.Step("1.2").Checkpoint.Checkpoint
			if at == elsewhere.Checkpoint || report.Run.Stamps == "sha256:22" {
				t.Errorf("it began at %+v, stamps %s", at, report.Run.Stamps)
			}
		})
	}
}

// After somebody let the run go, and signed that, no crash can add anything.
func TestNothingIsAddedToARunThatWaits(t *testing.T) {
	s := dies(t, owner, false)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for name := range s.Controller.Executors {
		s.Controller.Executors[name] = exec.Func(func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
			cancel(&exec.Stop{By: "ana", Why: "the machine is needed"})
			return exec.Outcome{}, context.Cause(ctx)
		})
	}
	s.log = s.log.Reopen()
	if _, err := s.Controller.Resume(ctx, s.locked, s.run); err == nil {
		t.Fatal("it was not stopped")
	}
	if run := s.history(t); run.Paused == nil || len(run.Signed.End) > 0 {
		t.Fatalf("it does not wait: %+v", run.Signed)
	}
	s.forge(t, nil, history.Where{Step: "1.2"}.Locate(&history.StepStarted{})...)
	var refused *exec.RefusedError
	if _, err := s.resume(t, owner); !errors.As(err, &refused) || !strings.Contains(err.Error(), "step-started 1.2") {
		t.Errorf("%v", err)
	}
}

// A damaged signature is found where it stands; so is a journal that is written
// anew by somebody without the key, or with another one.
func TestForeignSignatures(t *testing.T) {
	var corrupt *record.CorruptError
	s := dies(t, owner, false)
	all, err := s.workspace().Records(t.Context(), s.run)
	must(t, err)
	last := s.history(t).Signed.Head.Seq
	raw := [][]byte{}
	for r, err := range s.log.Replay(t.Context()) {
		must(t, err)
		raw = append(raw, bytes.Clone(r))
	}
	again := func(change func(raw [][]byte)) {
		changed := make([][]byte, len(raw))
		for i := range raw {
			changed[i] = bytes.Clone(raw[i])
		}
		change(changed)
		s.log = &checkpoint.MemoryLog{}
		must(t, s.log.Append(t.Context(), changed))
	}
	again(func(raw [][]byte) { raw[last-1][len(raw[last-1])-5] ^= 4 })
	if _, err := s.resume(t, owner); !errors.As(err, &corrupt) || corrupt.Seq != last {
		t.Errorf("resume, with a damaged last signature: %v", err)
	}
	again(func(raw [][]byte) { raw[0][len(raw[0])-5] ^= 4 })
	if _, err := s.workspace().Verify(t.Context(), s.run); !errors.As(err, &corrupt) || corrupt.Seq != 1 {
		t.Errorf("verify, with a damaged first signature: %v", err)
	}
	for name, c := range map[string]struct {
		signer crypto.Signer
		change func(*history.Started)
		says   string
	}{
		"unsigned":      {nil, func(s *history.Started) { s.Signer = "" }, "nobody signed"},
		"still the key": {nil, func(*history.Started) {}, "is not that of " + keyOf(t, owner).Short()},
		"a stranger's": {foreigner, func(f *history.Started) { f.Signer = keyOf(t, foreigner) },
			string(keyOf(t, foreigner))},
		"under a false id": {foreigner, func(*history.Started) {}, "is not that of " + keyOf(t, owner).Short()},
	} {
		s.log = &checkpoint.MemoryLog{}
		for _, rec := range all {
			f, err := history.Decode(rec)
			must(t, err)
			if started, ok := f.(*history.Started); ok {
				c.change(started)
			}
			where := history.Where{Step: plan.Address(rec.Step), Attempt: rec.Attempt}
			s.forge(t, c.signer, history.Located{Where: where, Fact: f})
		}
		if _, err := s.resume(t, owner); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run goes on under another key if both sign that, or if a person says that
// the first one is lost; nobody else goes on with it.
func TestKeysChange(t *testing.T) {
	var refused *exec.RefusedError
	t.Run("both sign", func(t *testing.T) {
		s := dies(t, owner, false)
		s.Controller.EarlierSigners = []crypto.Signer{foreigner, owner}
		report, err := s.resume(t, successor)
		must(t, err)
		if key := report.Run.Signed.Key; key != keyOf(t, successor) || report.Run.Started.Signer != keyOf(t, owner) {
			t.Errorf("it is signed by %s now", key)
		}
		_, err = s.workspace().Verify(t.Context(), s.run)
		must(t, err)
	})
	t.Run("lost", func(t *testing.T) {
		s := dies(t, owner, false)
		_, err := s.resume(t, successor)
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), string(keyOf(t, owner))) ||
			len(refused.Actions) != 1 || !slices.Equal(refused.Actions[0].Accept, []string{"signing key"}) {
			t.Fatalf("without a word: %v", err)
		}
		if _, err := s.Controller.Rollback(t.Context(), s.run, "1.1", "ana", ""); !errors.As(err, &refused) {
			t.Errorf("it is set back: %v", err)
		}
		if _, err := s.Controller.Abandon(t.Context(), s.run, "ana", ""); !errors.As(err, &refused) {
			t.Errorf("it is abandoned: %v", err)
		}
		first := s.history(t).Head.Seq + 1
		_, err = s.resume(t, successor, "signing key")
		must(t, err)
		if got := s.kinds(t, first)[:3]; !slices.Equal(got, []string{"disowned", "restore-begun", "key-changed"}) {
			t.Errorf("it goes on with %q", got)
		}
		_, err = s.workspace().Verify(t.Context(), s.run)
		must(t, err)
	})
	t.Run("nobody signs any more", func(t *testing.T) {
		s := dies(t, owner, false)
		if _, err := s.resume(t, nil, "signing key"); !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	})
	t.Run("nobody signed before", func(t *testing.T) {
		s := dies(t, nil, false)
		if _, err := s.resume(t, owner); !errors.As(err, &refused) {
			t.Errorf("without a word: %v", err)
		}
		_, err := s.resume(t, owner, "signing key")
		must(t, err)
		_, err = s.workspace().Verify(t.Context(), s.run)
		must(t, err)
	})
	t.Run("by one of them", func(t *testing.T) {
		for name, change := range map[string]*history.KeyChanged{
			"the new one": {From: keyOf(t, owner), To: keyOf(t, foreigner), By: "ana"},
			"a proof of nothing": {From: keyOf(t, owner), To: keyOf(t, foreigner),
				Proof: make([]byte, ed25519.SignatureSize)},
		} {
			s := dies(t, owner, false)
			s.forge(t, foreigner, history.Located{Fact: change})
			if _, err := s.resume(t, owner); err == nil {
				t.Errorf("%s: nobody minds", name)
			}
		}
		s := dies(t, owner, false)
		s.forge(t, owner, history.Located{Fact: &history.KeyChanged{From: keyOf(t, owner), To: keyOf(t, foreigner),
			Proof: make([]byte, ed25519.SignatureSize)}})
		var corrupt *record.CorruptError
		if _, err := s.workspace().Verify(t.Context(), s.run); !errors.As(err, &corrupt) {
			t.Errorf("verify, of a proof that the new key did not make: %v", err)
		}
	})
}

// A hostSigner is one that signs until it does not.
type hostSigner struct {
	crypto.Signer
	left int
	fail func() error
}

func (s *hostSigner) Sign(random io.Reader, message []byte, o crypto.SignerOpts) ([]byte, error) {
	if s.left--; s.left < 0 {
		if err := s.fail(); err != nil {
			return nil, err
		}
	}
	return s.Signer.Sign(random, message, o)
}

// A signer that fails takes back what it should have signed; the run goes on
// when it works.
func TestSignerThatFails(t *testing.T) {
	locked := errors.New("the agent is locked")
	for left := 0; ; left++ {
		b := exectest.New(t, twoSteps(), workspace, goodScript)
		signer := &hostSigner{Signer: owner, left: left, fail: func() error { return locked }}
		b.Controller.Signer = signer
		plan := b.Lock(t)
		report, err := b.Controller.Run(t.Context(), plan)
		if err == nil {
			if left < 6 {
				t.Errorf("a run takes %d signatures", left)
			}
			break
		}
		if !errors.Is(err, locked) {
			t.Fatalf("signature %d: %v", left+1, err)
		}
		signer.left = 1 << 30
		if left == 0 {
			continue // it has not begun
		}
		if _, err = b.Controller.Resume(t.Context(), plan, report.Run.Started.Run); err != nil {
			t.Fatalf("signature %d: resume: %v", left+1, err)
		}
	}
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Controller.Signer = &hostSigner{Signer: owner, left: 2, fail: func() error { panic("no token") }}
	var panicked *exec.PanicError
	if _, err := b.Controller.Run(t.Context(), b.Lock(t)); !errors.As(err, &panicked) || panicked.Port != "the signer" {
		t.Errorf("a panic: %v", err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	b = exectest.New(t, twoSteps(), workspace, goodScript)
	plan := b.Lock(t)
	b.Controller.Signer = curve
	if _, err := b.Controller.Run(t.Context(), plan); !errors.Is(err, record.ErrKey) {
		t.Errorf("a key of another kind: %v", err)
	}
}
