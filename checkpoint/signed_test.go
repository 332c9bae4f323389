package checkpoint_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
)

// Keys that are the same each time.
var (
	signingKey  = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	strangerKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
)

func keyOf(t testing.TB, signer crypto.Signer) record.Key {
	t.Helper()
	key, err := record.KeyOf(signer.Public())
	must(t, err)
	return key
}

func relied(f record.Fact) bool { return f.Type == "relied" }

// A countedLog counts what it is asked for.
type countedLog struct {
	checkpoint.MemoryLog
	appends, writes, syncs int
}

func (l *countedLog) Append(ctx context.Context, batch [][]byte) error {
	l.appends++
	return l.MemoryLog.Append(ctx, batch)
}

func (l *countedLog) Write(ctx context.Context, batch [][]byte) error {
	l.writes++
	return l.MemoryLog.Append(ctx, batch)
}

func (l *countedLog) Hasten() {}

func (l *countedLog) Sync(context.Context) error { l.syncs++; return nil }

// signedJournal is a journal with signed batches and others, and its log.
func signedJournal(t testing.TB, name string, signer crypto.Signer) (*checkpoint.Journal, *countedLog) {
	t.Helper()
	log := &countedLog{}
	j, err := checkpoint.OpenJournal(t.Context(), log, name, clock(), nil)
	must(t, err)
	must(t, j.SignWith(signer, relied))
	for _, add := range []func() ([]record.Record, error){
		func() ([]record.Record, error) { return j.Append(t.Context(), named("relied")) },
		func() ([]record.Record, error) { return j.Write(t.Context(), named("intent"), named("seen")) },
		func() ([]record.Record, error) { return j.Stage(t.Context(), named("staged")) },
		func() ([]record.Record, error) { return j.Append(t.Context(), named("relied"), named("seen")) },
		func() ([]record.Record, error) { return j.Write(t.Context(), named("relied")) },
		func() ([]record.Record, error) { return j.Append(t.Context(), named("seen")) },
	} {
		_, err := add()
		must(t, err)
	}
	return j, log
}

// A batch with something that is relied on bears a signature in its last record,
// in the write that it takes anyway; all others are covered by the next one.
func TestHeadsAreSigned(t *testing.T) {
	j, log := signedJournal(t, "run", signingKey)
	all, err := records(j)
	must(t, err)
	key, stranger := keyOf(t, signingKey), keyOf(t, strangerKey)
	var signed []uint64
	for _, r := range all {
		if r.SignedBy(key) {
			signed = append(signed, r.Seq)
		}
		if r.SignedBy(stranger) || r.SignedBy("") || (len(r.Signature) > 0) != r.SignedBy(key) {
			t.Errorf("record %d: %x", r.Seq, r.Signature)
		}
	}
	if want := []uint64{1, 6, 7}; !slices.Equal(signed, want) {
		t.Errorf("signed are %d, want %d", signed, want)
	}
	if log.appends != 3 || log.writes != 2 || log.syncs != 0 {
		t.Errorf("%d appends, %d writes, %d syncs", log.appends, log.writes, log.syncs)
	}
	again, err := checkpoint.OpenJournal(t.Context(), log.Reopen(), "run", nil, nil)
	must(t, err)
	read, err := records(again)
	must(t, err)
	if diff := cmp.Diff(all, read); diff != "" {
		t.Error(diff)
	}
}

// raws are the stored records of a log.
func raws(t testing.TB, log checkpoint.Log) (all [][]byte) {
	t.Helper()
	for r, err := range log.Replay(t.Context()) {
		must(t, err)
		all = append(all, bytes.Clone(r))
	}
	return all
}

// unsigned reads a journal of raw records: which of those that bear a signature
// are not signed by key.
func unsigned(raw [][]byte, key record.Key) (wrong []uint64, err error) {
	log := &checkpoint.MemoryLog{}
	if err := log.Append(context.Background(), raw); err != nil {
		return nil, err
	}
	_, err = checkpoint.OpenJournal(context.Background(), log, "run", nil, func(r record.Record) error {
		if len(r.Signature) > 0 && !r.SignedBy(key) {
			wrong = append(wrong, r.Seq)
		}
		return nil
	})
	return wrong, err
}

// Each bit of a signed journal counts, in a log that does not verify by itself.
func TestEveryBitIsSigned(t *testing.T) {
	_, log := signedJournal(t, "run", signingKey)
	raw, key := raws(t, log), keyOf(t, signingKey)
	if wrong, err := unsigned(raw, key); len(wrong) > 0 || err != nil {
		t.Fatalf("undamaged: %d, %v", wrong, err)
	}
	for i, r := range raw {
		for bit := range 8 * len(r) {
			r[bit/8] ^= 1 << (bit % 8)
			wrong, err := unsigned(raw, key)
			r[bit/8] ^= 1 << (bit % 8)
			var corrupt *record.CorruptError
			if found := errors.As(err, &corrupt) && corrupt.Seq == uint64(i+1); !found &&
				!slices.Equal(wrong, []uint64{uint64(i + 1)}) {
				t.Fatalf("bit %d of record %d: %d, %v", bit, i+1, wrong, err)
			}
		}
	}
}

// A signature is that of one head of one journal. It cannot be taken away, nor
// given to a record that says that it has none.
func TestSignaturesStayWhereTheyAre(t *testing.T) {
	_, log := signedJournal(t, "run", signingKey)
	_, other := signedJournal(t, "another run", signingKey)
	raw, key := raws(t, log), keyOf(t, signingKey)
	const size = ed25519.SignatureSize
	bare := func(r []byte) []byte { return r[: len(r)-size : len(r)-size] }
	with := func(i int, r []byte) [][]byte {
		changed := slices.Clone(raw)
		changed[i] = r
		return changed
	}
	sixth, first := raw[5], raw[0]
	for name, c := range map[string]struct {
		raw  [][]byte
		seq  uint64
		hash bool // the chain alone finds it
	}{
		"taken away": {with(5, bare(sixth)), 6, true},
		"given":      {with(1, append(bytes.Clone(raw[1]), sixth[len(sixth)-size:]...)), 2, true},
		"another":    {with(5, append(bare(sixth), first[len(first)-size:]...)), 6, false},
		"another's":  {with(0, append(bare(first), raws(t, other)[0][len(first)-size:]...)), 1, false},
		"twice":      {with(5, append(bytes.Clone(sixth), sixth[len(sixth)-size:]...)), 6, true},
		"half":       {with(5, sixth[:len(sixth)-size/2]), 6, true},
	} {
		wrong, err := unsigned(c.raw, key)
		var corrupt *record.CorruptError
		switch found := errors.As(err, &corrupt); {
		case found != c.hash, found && corrupt.Seq != c.seq, !found && !slices.Equal(wrong, []uint64{c.seq}):
			t.Errorf("%s: %d, %v", name, wrong, err)
		}
	}
	// With a version of its own, hash and all: who has no key makes no signature.
	forged := bytes.Clone(bare(sixth))
	binary.BigEndian.PutUint64(forged[33+8:], 1) // its time
	if wrong, err := unsigned(with(5, append(forged, sixth[len(sixth)-size:]...)), key); err == nil {
		t.Errorf("forged: %d", wrong)
	}
}

// A brokenSigner signs as it is told.
type brokenSigner struct {
	crypto.Signer
	spoil func(signature []byte) ([]byte, error)
}

func (s brokenSigner) Sign(random io.Reader, message []byte, o crypto.SignerOpts) ([]byte, error) {
	signature, err := s.Signer.Sign(random, message, o)
	if err != nil {
		return nil, err
	}
	return s.spoil(signature)
}

var errAgent = errors.New("the agent is locked")

// A signer that fails, or signs something else, adds nothing; what is added once
// it works follows what was there.
func TestSignerFails(t *testing.T) {
	broken := true
	for name, bad := range map[string]func([]byte) ([]byte, error){
		"fails":     func([]byte) ([]byte, error) { return nil, errAgent },
		"wrong":     func(s []byte) ([]byte, error) { s[3] ^= 1; return s, nil },
		"short":     func(s []byte) ([]byte, error) { return s[1:], nil },
		"long":      func(s []byte) ([]byte, error) { return append(s, 0), nil },
		"forgetful": func([]byte) ([]byte, error) { return nil, nil },
	} {
		log := &countedLog{}
		j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
		must(t, err)
		must(t, j.SignWith(brokenSigner{signingKey, func(s []byte) ([]byte, error) {
			if broken {
				return bad(s)
			}
			return s, nil
		}}, relied))
		broken = true
		_, err = j.Append(t.Context(), named("seen"))
		must(t, err)
		if _, err := j.Append(t.Context(), named("relied")); err == nil || name == "fails" && !errors.Is(err, errAgent) {
			t.Errorf("%s: %v", name, err)
		}
		broken = false
		_, err = j.Append(t.Context(), named("relied"))
		must(t, err)
		if got := types(t, log); got != "seen relied" {
			t.Errorf("%s: it holds %s", name, got)
		}
	}
	j, err := checkpoint.OpenJournal(t.Context(), &checkpoint.MemoryLog{}, "run", nil, nil)
	must(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	if err := j.SignWith(curve, relied); !errors.Is(err, record.ErrKey) {
		t.Errorf("a key of another kind: %v", err)
	}
}

func TestKeysAsText(t *testing.T) {
	key := keyOf(t, signingKey)
	if back, err := record.ParseKey(string(key)); back != key || err != nil {
		t.Errorf("%q reads as %q, %v", key, back, err)
	}
	if key.Short() != string(key[:20]) || record.Key("").Short() != "" {
		t.Errorf("%q is %q for short", key, key.Short())
	}
	for _, text := range []string{"", "ed25519:", string(key[1:]), string(key[:70]), string(key) + "00",
		"ed25519:" + string(bytes.ToUpper([]byte(key[8:]))), "ed25519:" + string(bytes.Repeat([]byte("g"), 64))} {
		if back, err := record.ParseKey(text); !errors.Is(err, record.ErrKey) || back != "" {
			t.Errorf("%q reads as %q, %v", text, back, err)
		}
	}
}
