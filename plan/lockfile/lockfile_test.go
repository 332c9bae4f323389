package lockfile_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
	"github.com/planlock/planlock/plan/native"
)

var update = flag.Bool("update", false, "write golden files and generated pages again")

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(readText(t, path), string(got)); diff != "" {
		t.Errorf("%s is out of date; run  go test ./plan/... -update\n%s", path, diff)
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func limitsPlan(t testing.TB) string {
	t.Helper()
	return readText(t, "../testdata/limits.toml")
}

func mustRead(t testing.TB, text string) *plan.Draft {
	t.Helper()
	d, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

var made = time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)

func mustLock(t testing.TB, d *plan.Draft, options plan.LockOptions) *plan.Locked {
	t.Helper()
	l, err := plan.Lock(d, options)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func encode(t testing.TB, l *plan.Locked) []byte {
	t.Helper()
	text, err := lockfile.Encode(l)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestLockRoundTrip(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	empty := ledger.Empty().Digest()
	options := plan.LockOptions{ID: id, At: made, Envelope: ledger.Sum([]byte("envelope")), Base: empty,
		Approvals: []plan.Approval{{Gate: "review", Level: 2, Verdict: "pass"}}}
	l := mustLock(t, d, options)
	again, err := lockfile.Read(d, encode(t, l), plan.CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, l), encode(t, again)) || again.ID() != l.ID() || !again.Options().At.Equal(made) ||
		again.Digest() != d.Plan.Digest() {
		t.Errorf("%s\n%s", encode(t, l), encode(t, again))
	}
	got, want := again.Options(), l.Options()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Base != empty {
		t.Errorf("base %q", got.Base)
	}
	crlf := bytes.ReplaceAll(encode(t, l), []byte("\n"), []byte("\r\n"))
	if _, err := lockfile.Read(d, crlf, plan.CheckOptions{}); err != nil {
		t.Errorf("other ends of lines: %v", err)
	}
	if unbound := encode(t, mustLock(t, d, plan.LockOptions{ID: id})); !strings.Contains(string(unbound), `"base_tree": null`) {
		t.Errorf("%s", unbound)
	}
	for _, name := range []string{"", "x"} {
		if text, err := lockfile.Encode(mustLock(t, d, plan.LockOptions{ID: name})); err == nil {
			t.Errorf("a lock with the name %q was written: %s", name, text)
		}
	}
}

func TestLockOfExamplesGolden(t *testing.T) {
	l := mustLock(t, mustRead(t, limitsPlan(t)), plan.LockOptions{ID: "00000000000000000000000000", At: made})
	golden(t, "../testdata/limits.lock.json", encode(t, l))
}

// Whatever is done to a lock file, it is recognised: every byte changed, cut
// anywhere, keys added.
func TestEditedLocks(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	text := encode(t, mustLock(t, d, plan.LockOptions{ID: id, At: made}))
	refused := func(what string, lock []byte) {
		t.Helper()
		l, err := lockfile.Read(d, lock, plan.CheckOptions{})
		var lockErr *plan.LockError
		if !errors.As(err, &lockErr) || l != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range text {
		edited := bytes.Clone(text)
		edited[i] ^= 1
		refused(fmt.Sprintf("byte %d", i), edited)
		refused(fmt.Sprintf("cut at %d", i), text[:i])
	}
	refused("a key", bytes.Replace(text, []byte("{"), []byte(`{"x": 1,`), 1))
	refused("a key twice", bytes.Replace(text, []byte("{"), []byte(`{"plan": "sha256:0",`), 1))
	refused("another case", bytes.Replace(text, []byte(`"plan"`), []byte(`"Plan"`), 1))
	refused("a space before it", append([]byte(" "), text...))
	refused("a space behind it", append(bytes.Clone(text), ' '))
	refused("a line behind it", append(bytes.Clone(text), '\n'))
	refused("a line that ends in CRLF", bytes.Replace(text, []byte("\n"), []byte("\r\n"), 1))
	refused("two", append(bytes.Clone(text), text...))
	refused("nothing", nil)
	_, err := lockfile.Read(d, bytes.Replace(text, []byte("planlock.lock/1"), []byte("planlock.lock/2"), 1),
		plan.CheckOptions{})
	if err == nil || !strings.Contains(err.Error(), `"planlock.lock/2"`) {
		t.Errorf("another version: %v", err)
	}
}

func TestLockOfAnotherPlan(t *testing.T) {
	text := limitsPlan(t)
	lock := encode(t, mustLock(t, mustRead(t, text), plan.LockOptions{ID: id}))
	other := mustRead(t, strings.Replace(text, "max_lines = 80", "max_lines = 81", 1))
	_, err := lockfile.Read(other, lock, plan.CheckOptions{})
	var lockErr *plan.LockError
	if !errors.As(err, &lockErr) || lockErr.What != "plan" || lockErr.Want == lockErr.Got ||
		lockErr.Got != other.Plan.Digest() {
		t.Errorf("%v", err)
	}
	if _, err := lockfile.Read(mustRead(t, "# comment\n"+text), lock, plan.CheckOptions{}); err != nil {
		t.Errorf("a comment: %v", err)
	}
}

// Only what Encode wrote is read, and it is written the same again.
func FuzzRead(f *testing.F) {
	d, err := native.Read("plan.toml", []byte(limitsPlan(f)))
	if err != nil {
		f.Fatal(err)
	}
	l, err := plan.Lock(d, plan.LockOptions{ID: id, At: made})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(encode(f, l))
	f.Add([]byte(`{"schema": "planlock.lock/1"}`))
	f.Fuzz(func(t *testing.T, lock []byte) {
		l, err := lockfile.Read(d, lock, plan.CheckOptions{})
		if err == nil && !bytes.Equal(encode(t, l), bytes.ReplaceAll(lock, []byte("\r\n"), []byte("\n"))) {
			t.Errorf("%s\n%s", lock, encode(t, l))
		}
	})
}
