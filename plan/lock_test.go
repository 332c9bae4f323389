package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

func fixedNow() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC) }

func mustLock(t *testing.T, d *Draft, options LockOptions) *Locked {
	t.Helper()
	l, err := Lock(d, options)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLockRoundTrip(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	empty := ledger.Empty().Digest()
	options := LockOptions{Now: fixedNow, Envelope: ledger.Sum([]byte("envelope")), Base: empty, Approvals: []Approval{{"review", 2, "pass"}}}
	l := mustLock(t, d, options)
	again, err := ReadLock(d, l.Encode(), CheckOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(l.Encode(), again.Encode()) || again.ID() != l.ID() || !again.Created().Equal(fixedNow()) || again.Digest() != d.Plan.Digest() {
		t.Errorf("%s\n%s", l.Encode(), again.Encode())
	}
	got, want := again.Options(), l.Options()
	got.Now, want.Now = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Base != empty {
		t.Errorf("base %q", got.Base)
	}
	crlf := bytes.ReplaceAll(l.Encode(), []byte("\n"), []byte("\r\n"))
	if _, err := ReadLock(d, crlf, CheckOptions{}); err != nil {
		t.Errorf("other ends of lines: %v", err)
	}
	if unbound := mustLock(t, d, LockOptions{}); !strings.Contains(string(unbound.Encode()), `"base_tree": null`) || unbound.ID() == l.ID() {
		t.Errorf("%s", unbound.Encode())
	}
}

func TestLockOfExamplesGolden(t *testing.T) {
	l := mustLock(t, mustRead(t, limitsPlan(t)), LockOptions{Now: fixedNow})
	l.id = [16]byte{}
	golden(t, "testdata/limits.lock.json", l.Encode())
}

// Whatever is done to a lock file, it is recognised: every byte changed, cut anywhere, keys added.
func TestEditedLocks(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	text := mustLock(t, d, LockOptions{Now: fixedNow}).Encode()
	refused := func(what string, lock []byte) {
		t.Helper()
		l, err := ReadLock(d, lock, CheckOptions{})
		var lockErr *LockError
		if !errors.As(err, &lockErr) || l != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range text[:len(text)-1] {
		edited := bytes.Clone(text)
		edited[i] ^= 1
		refused(fmt.Sprintf("byte %d", i), edited)
		refused(fmt.Sprintf("cut at %d", i), text[:i])
	}
	refused("a key", bytes.Replace(text, []byte("{"), []byte(`{"x": 1,`), 1))
	refused("a key twice", bytes.Replace(text, []byte("{"), []byte(`{"plan": "sha256:0",`), 1))
	refused("another case", bytes.Replace(text, []byte(`"plan"`), []byte(`"Plan"`), 1))
	refused("two", append(bytes.Clone(text), text...))
	refused("nothing", nil)
	_, err := ReadLock(d, bytes.Replace(text, []byte("planlock.lock/1"), []byte("planlock.lock/2"), 1), CheckOptions{})
	if err == nil || !strings.Contains(err.Error(), `"planlock.lock/2"`) {
		t.Errorf("another version: %v", err)
	}
}

func TestLockOfAnotherPlan(t *testing.T) {
	text := limitsPlan(t)
	lock := mustLock(t, mustRead(t, text), LockOptions{}).Encode()
	other := mustRead(t, strings.Replace(text, "max_lines = 80", "max_lines = 81", 1))
	_, err := ReadLock(other, lock, CheckOptions{})
	var lockErr *LockError
	if !errors.As(err, &lockErr) || lockErr.What != "plan" || lockErr.Want == lockErr.Got || lockErr.Got != other.Plan.Digest() {
		t.Errorf("%v", err)
	}
	if _, err := ReadLock(mustRead(t, "# comment\n"+text), lock, CheckOptions{}); err != nil {
		t.Errorf("a comment: %v", err)
	}
}

func TestAcknowledgements(t *testing.T) {
	text := strings.Replace(strings.Replace(limitsPlan(t), `semantic_change = "preserving"`, "semantic_change = \"breaking\"\n  rollback = \"irreversible\"", 1),
		"max_retries = 2\n  semantic_change = \"extending\"", "max_retries = 2\n  semantic_change = \"modifying\"", 1)
	d := mustRead(t, text)
	all := []string{"breaking:2.1", "irreversible:2.1", "modifying:1.2"}
	var ack *AckError
	if _, err := Lock(d, LockOptions{}); !errors.As(err, &ack) || len(ack.Missing) != 3 || !strings.Contains(err.Error(), "--ack modifying:1.2") {
		t.Errorf("%v", err)
	}
	if _, err := Lock(d, LockOptions{Acknowledged: all[1:]}); !errors.As(err, &ack) || len(ack.Missing) != 1 || ack.Missing[0].Code != all[0] {
		t.Errorf("%v", err)
	}
	if _, err := Lock(d, LockOptions{Acknowledged: append(slices.Clone(all), "breaking:9.9")}); !errors.As(err, &ack) || !slices.Equal(ack.Unknown, []string{"breaking:9.9"}) {
		t.Errorf("%v", err)
	}
	l := mustLock(t, d, LockOptions{Acknowledged: []string{all[2], all[0], all[1], all[0]}})
	if !slices.Equal(l.Options().Acknowledged, all) {
		t.Errorf("%q", l.Options().Acknowledged)
	}
}

func TestLockRefusesWhatIsIncomplete(t *testing.T) {
	var check *CheckError
	d := mustRead(t, strings.Replace(limitsPlan(t), "rollback = \"reversible\"\n", "", 1))
	_, err := Lock(d, LockOptions{})
	if !errors.As(err, &check) || len(check.Answers) != 10 || !strings.Contains(err.Error(), "[rollback-missing]") {
		t.Errorf("%v", err)
	}
	d = mustRead(t, limitsPlan(t))
	if _, err := Lock(d, LockOptions{Approvals: []Approval{{"review", 2, "partial"}}}); !errors.As(err, &check) || !strings.Contains(err.Error(), "approval-failed") {
		t.Errorf("%v", err)
	}
	if _, err := Lock(d, LockOptions{Approvals: []Approval{{"style", 1, "fail"}}}); err != nil {
		t.Errorf("a gate of level 1 blocks: %v", err)
	}
	d.Plan.Tasks[0].Steps = nil
	if _, err := Lock(d, LockOptions{}); err == nil {
		t.Error("an edit after reading was not judged")
	}
}

func TestLockedIsItsOwn(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	l := mustLock(t, d, LockOptions{})
	want := l.Digest()
	d.Plan.Tasks[0].Steps[0].Run = "changed"
	d.Plan.Requirements[0].ID = "changed"
	p := l.Plan()
	p.Goal = "changed"
	*p.Tasks[0].Steps[0].Limits.MaxFiles = 99
	p.Tasks[0].Steps[0].Artifacts.Create[0] = "changed"
	if got := l.Plan().Digest(); got != want || l.Digest() != want {
		t.Error("what was locked can be changed from outside")
	}
}

// 6 of the torture list: the plan is edited after the lock.
func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	text := limitsPlan(t)
	old := time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(text, old)
	d, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLock(t, d, LockOptions{})
	if err := l.Verify(); err != nil {
		t.Errorf("nothing changed: %v", err)
	}
	write("# another comment\n"+text, time.Now())
	if err := l.Verify(); err != nil {
		t.Errorf("a comment: %v", err)
	}
	var lockErr *LockError
	edited := strings.Replace(text, "10 requests", "11 requests", 1)
	write(edited, time.Now())
	if err := l.Verify(); !errors.As(err, &lockErr) || lockErr.What != "plan" || lockErr.Want != l.Digest() || lockErr.Got == "" {
		t.Errorf("an edit: %v", err)
	}
	write("schema = ", time.Now())
	if err := l.Verify(); !errors.As(err, &lockErr) {
		t.Errorf("half a plan: %v", err)
	}
	write(text, old)
	if err := l.Verify(); err != nil {
		t.Errorf("as it was: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(); !errors.As(err, &lockErr) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
	if err := mustLock(t, mustRead(t, text), LockOptions{}).Verify(); err != nil {
		t.Errorf("from memory: %v", err)
	}
}

// A change of the same size within the same tick of the file system's clock is seen too.
func TestVerifyFreshFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	text, now := limitsPlan(t), time.Now()
	for i, digit := range []string{"0", "1"} {
		if err := os.WriteFile(path, []byte(strings.Replace(text, "to 10 requests", "to 1"+digit+" requests", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			d, err := ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l := mustLock(t, d, LockOptions{})
			defer func() {
				if err := l.Verify(); err == nil {
					t.Error("the change was not seen")
				}
			}()
		}
	}
}

func TestObserveRelaxesDeclarations(t *testing.T) {
	d := mustRead(t, readText(t, "testdata/minimal.toml"))
	for _, f := range d.Check(CheckOptions{}) {
		if f.Severity == Error {
			t.Errorf("%v", f)
		}
	}
	for _, a := range d.SelfCheck(CheckOptions{}) {
		if !a.Yes {
			t.Errorf("%+v", a)
		}
	}
	d.Plan.Profile = Strict
	var no []string
	for _, a := range d.SelfCheck(CheckOptions{}) {
		if !a.Yes {
			no = append(no, a.Question)
		}
	}
	if want := []string{"requirements-mapped", "scope-declared", "rollback-defined", "non-goals-declared"}; !slices.Equal(no, want) {
		t.Errorf("%q", no)
	}
}
