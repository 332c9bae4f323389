// Package chain is the form in which the records of a journal are stored: one
// behind the other, each with the hash of the one before. It is pure.
package chain

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A record is stored as its body and the hash of domain and body, and, where its
// version says so, the signature of what record.Statement makes of that hash.
// The body is the bytes that are hashed, so that no spelling of JSON can change
// a hash, and so is the version, so that no signature is taken away unnoticed.
// All numbers are big-endian.
//
//	 1  version: 1, or 2 where a signature follows the hash
//	32  prev
//	 8  seq
//	 8  seconds since 1970, signed
//	 4  nanoseconds
//	 8  attempt
//	 4  length of type, then type
//	 4  length of step, then step
//	 4  length of data, then data
const (
	recordDomain  = "planlock.journal/1\n"
	nameDomain    = "planlock.journal/1 name\n"
	recordVersion = 1
	signedVersion = 2
	recordFixed   = 1 + sha256.Size + 8 + 8 + 4 + 8
)

type sum = [sha256.Size]byte

// A Chain is a place between two records of a journal, and knows how the next
// one is stored and verified. It is a pure value: it reads no clock and keeps
// no record. Copies share scratch space: use Clone to go two ways. It is not
// safe for concurrent use.
type Chain struct {
	name    string
	seq     uint64
	prev    sum              // of the record before the last one
	last    sum              // of the last one
	scratch []byte           // domain and body
	digests [2]ledger.Digest // of prev and last, once somebody asked
}

// New is the place before the first record of the journal called name,
// which is the id of its run.
func New(name string) Chain {
	return Chain{name: name, last: sha256.Sum256([]byte(nameDomain + name))}
}

// Clone is a copy that goes its own way.
func (c *Chain) Clone() Chain {
	d := *c
	d.scratch = nil
	return d
}

// Seq is the number of records before the place.
func (c *Chain) Seq() uint64 { return c.seq }

// Head is where the chain stands.
func (c *Chain) Head() record.Head { return record.Head{Seq: c.seq, Hash: ledger.DigestOf(c.last)} }

func (c *Chain) hash(body []byte) sum {
	c.scratch = append(append(c.scratch[:0], recordDomain...), body...)
	return sha256.Sum256(c.scratch)
}

func (c *Chain) step(hash sum) {
	c.seq++
	c.prev, c.last = c.last, hash
	c.digests[0], c.digests[1] = c.digests[1], ""
}

// spelled are the digests of prev and last. Each is spelled once: that of last
// is that of prev a record later.
func (c *Chain) spelled() (prev, last ledger.Digest) {
	if c.digests[0] == "" {
		c.digests[0] = ledger.DigestOf(c.prev)
	}
	if c.digests[1] == "" {
		c.digests[1] = ledger.DigestOf(c.last)
	}
	return c.digests[0], c.digests[1]
}

// A Sign signs a message; the signature has ed25519.SignatureSize bytes.
type Sign func(message []byte) (signature []byte, err error)

// Extend adds the stored form of f, as of now, to buf, and goes behind it. It
// returns buf with what was added, and the record. With sign, the record bears
// the signature of the head that it makes. After an error the chain stands
// where it was, and nothing was added. The record shares f's data where that
// has no white space between its parts.
func (c *Chain) Extend(buf []byte, f record.Fact, now time.Time, sign Sign) ([]byte, record.Record, error) {
	if err := check(&f); err != nil {
		return buf, record.Record{}, err
	}
	if y := now.Year(); y < 0 || y > 9999 {
		return buf, record.Record{}, fmt.Errorf("the clock says the year is %d", y)
	}
	data, err := compact(f.Data)
	if err != nil {
		return buf, record.Record{}, err
	}
	f.Data = data
	start, version := len(buf), byte(recordVersion)
	if sign != nil {
		version = signedVersion
	}
	buf = append(buf, version)
	buf = append(buf, c.last[:]...)
	buf = binary.BigEndian.AppendUint64(buf, c.seq+1)
	buf = binary.BigEndian.AppendUint64(buf, uint64(now.Unix()))
	buf = binary.BigEndian.AppendUint32(buf, uint32(now.Nanosecond()))
	buf = binary.BigEndian.AppendUint64(buf, uint64(f.Attempt))
	for _, field := range [][]byte{[]byte(f.Type), []byte(f.Step), data} {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(field)))
		buf = append(buf, field...)
	}
	sum, signature := c.hash(buf[start:]), []byte(nil)
	if sign != nil {
		if signature, err = sign(record.Statement(sum)); err != nil {
			return buf[:start], record.Record{}, err
		}
	}
	c.step(sum)
	buf = append(append(buf, sum[:]...), signature...)
	prev, hash := c.spelled()
	return buf, record.Record{Seq: c.seq, Time: now, Prev: prev, Hash: hash, Fact: f, Signature: signature}, nil
}

// check refuses a fact that no reader would take, so that it is refused before
// it is written.
func check(f *record.Fact) error {
	switch {
	case f.Type == "":
		return errors.New("it has no type")
	case f.Attempt < 0 || f.Attempt > math.MaxInt32:
		return fmt.Errorf("its attempt is %d, which none can be", f.Attempt)
	case len(f.Type)+len(f.Step)+len(f.Data) > format.MaxBatch/2:
		return fmt.Errorf("%w: it has more than %d bytes, keep large contents as blobs", record.ErrTooLarge,
			format.MaxBatch/2)
	}
	return nil
}

// compact is data without spaces: data itself where it has none.
func compact(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if tightJSON(data) {
		return data, nil
	}
	var b bytes.Buffer
	b.Grow(len(data))
	if err := json.Compact(&b, data); err != nil {
		return nil, fmt.Errorf("its data is not JSON: %w", err)
	}
	return b.Bytes(), nil
}

// A Stored is a verified record as it lies in a log: valid as long as the bytes
// are.
type Stored struct {
	time            time.Time
	attempt         uint64
	typ, step, data []byte
	signature       []byte
}

// Follow checks that b is the next record, and goes behind it. What is wrong
// with it is a [*record.CorruptError], and the chain stands where it was.
func (c *Chain) Follow(b []byte) (Stored, error) {
	wrong := func(format string, args ...any) (Stored, error) {
		return Stored{}, &record.CorruptError{Name: c.name, Seq: c.seq + 1, Why: fmt.Sprintf(format, args...)}
	}
	var signature []byte
	if len(b) > ed25519.SignatureSize && b[0] == signedVersion {
		b, signature = b[:len(b)-ed25519.SignatureSize], b[len(b)-ed25519.SignatureSize:]
	}
	if len(b) < recordFixed+sha256.Size {
		return wrong("it is too short")
	}
	body, hash := b[:len(b)-sha256.Size], sum(b[len(b)-sha256.Size:])
	if body[0] != recordVersion && body[0] != signedVersion {
		return wrong("its version is %d, neither %d nor %d", body[0], recordVersion, signedVersion)
	}
	if got := c.hash(body); got != hash {
		return wrong("its content does not have its hash")
	}
	if seq := binary.BigEndian.Uint64(body[1+sha256.Size:]); seq != c.seq+1 {
		return wrong("record %d stands in its place", seq)
	}
	if prev := sum(body[1:]); prev != c.last {
		if c.seq == 0 {
			return wrong("it belongs to a journal with another name")
		}
		return wrong("it does not follow the record before it")
	}
	s, why := parseBody(body)
	if why != "" {
		return wrong("%s", why)
	}
	c.step(hash)
	s.signature = signature
	return s, nil
}

// parseBody reads what follows the sequence number; why is empty if that went
// well.
func parseBody(body []byte) (s Stored, why string) {
	rest := body[1+sha256.Size+8:]
	seconds, nanos := int64(binary.BigEndian.Uint64(rest)), binary.BigEndian.Uint32(rest[8:])
	if seconds < -62167219200 || seconds > 253402300799 || nanos >= 1e9 {
		return s, "its time is out of range"
	}
	s.time = time.Unix(seconds, int64(nanos)).UTC()
	if s.attempt = binary.BigEndian.Uint64(rest[12:]); s.attempt > math.MaxInt32 {
		return s, "its attempt is out of range"
	}
	rest = rest[20:]
	for _, field := range []*[]byte{&s.typ, &s.step, &s.data} {
		var ok bool
		if *field, rest, ok = nextField(rest); !ok {
			return s, "a field is cut off"
		}
	}
	switch {
	case len(rest) > 0:
		return s, "something follows its last field"
	case len(s.typ) == 0:
		return s, "it has no type"
	case len(s.data) > 0 && !validJSON(s.data):
		return s, "its data is not JSON"
	}
	return s, ""
}

// Data is the data of its fact. It is valid as long as the bytes that were
// followed are.
func (s *Stored) Data() []byte { return s.data }

// Record is a copy of s, which must be the last that c followed.
func (s *Stored) Record(c *Chain) record.Record {
	prev, hash := c.spelled()
	r := record.Record{
		Seq: c.seq, Time: s.time, Prev: prev, Hash: hash,
		Fact: record.Fact{Type: string(s.typ), Step: string(s.step), Attempt: int(s.attempt)},
	}
	if len(s.data) > 0 {
		r.Data = bytes.Clone(s.data)
	}
	if len(s.signature) > 0 {
		r.Signature = bytes.Clone(s.signature)
	}
	return r
}

// nextField splits the first field off what is left of a record.
func nextField(b []byte) (field, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := binary.BigEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}
