package filelog

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/golden"
	"github.com/planlock/planlock/checkpoint/record"
)

func TestGoldenJournal(t *testing.T) {
	for name, sign := range map[string]bool{"journal.v1": false, "journal-signed.v1": true} {
		t.Run(name, func(t *testing.T) { goldenJournal(t, name, sign) })
	}
}

func goldenJournal(t *testing.T, name string, sign bool) {
	path := filepath.Join(t.TempDir(), "journal")
	log, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Unix(1700000000, 5) }
	j, err := checkpoint.OpenJournal(t.Context(), log, "01JGRUN", now, nil)
	if err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	if sign {
		if err := j.SignWith(key, func(f record.Fact) bool { return f.Type != "step.started" }); err != nil {
			t.Fatal(err)
		}
	}
	var want []record.Record
	for i, f := range []record.Fact{
		{Type: "run.started", Data: json.RawMessage(`{"plan":"p"}`)},
		{Type: "step.started", Step: "1.1", Attempt: 1},
		{Type: "step.done", Step: "1.1", Attempt: 1, Data: json.RawMessage(`[1,"é"]`)},
	} {
		add := j.Append
		if i == 1 {
			add = j.Write
		}
		records, err := add(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, records...)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden.Same(t, name, written)
	old, err := Read(t.Context(), filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if j, err = checkpoint.OpenJournal(t.Context(), old, "01JGRUN", now, nil); err != nil {
		t.Fatal(err)
	}
	var got []record.Record
	for r, err := range j.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	public, err := record.KeyOf(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.SignedBy(public) != (sign && r.Type != "step.started") {
			t.Errorf("record %d bears %x", r.Seq, r.Signature)
		}
	}
}

// What was written before version 1 is refused in one sentence that says what
// to do, and left as it is.
func TestOldFormatIsRefused(t *testing.T) {
	before, err := os.ReadFile(filepath.Join("testdata", "journal.old"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, before, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(context.Context, string) (*Log, error){"to append": Open, "to read": Read} {
		if _, err := open(t.Context(), path); !errors.Is(err, checkpoint.ErrVersion) ||
			!strings.Contains(err.Error(), "begin anew") {
			t.Errorf("opened %s: %v", name, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("it was changed: %v", err)
	}
}

// A log whose header is damaged, whichever bit it hits, is damaged, and not one
// of another version.
func TestDamagedLogIsOfNoOtherVersion(t *testing.T) {
	good, err := os.ReadFile(filepath.Join("testdata", "journal.v1"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal")
	for bit := range logHeader * 8 {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		var corrupt *record.CorruptError
		if _, err := Read(t.Context(), path); !errors.As(err, &corrupt) {
			t.Errorf("bit %d of byte %d flipped: %v, want a *record.CorruptError", bit%8, bit/8, err)
		}
	}
}

func FuzzLog(f *testing.F) {
	one, _ := appendFrame(nil, int64(logHeader), frameLoose, [][]byte{[]byte("a"), {}})
	two, _ := appendFrame(one, int64(logHeader+len(one)), frameBehind, [][]byte{bytes.Repeat([]byte{0}, 600)})
	f.Add(two)
	f.Add(two[:len(two)-9])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(append([]byte(logMagic), 0, 0, 0, logVersion), b...)
		var first [][]byte
		end, err := readFrames(t.Context(), bytes.NewReader(b), "log", int64(len(b)), ends{},
			func(r []byte, _ error) bool {
				first = append(first, bytes.Clone(r))
				return true
			})
		if err != nil {
			return
		}
		// What is cut off makes no difference to what is left.
		n := 0
		again, err := readFrames(t.Context(), bytes.NewReader(b[:end.offset]), "log", end.offset, ends{head: end},
			func(r []byte, _ error) bool {
				if !bytes.Equal(r, first[n]) {
					t.Fatal("another record")
				}
				n++
				return true
			})
		if err != nil || again != end || n != len(first) {
			t.Fatal(again, end, n, err)
		}
	})
}
