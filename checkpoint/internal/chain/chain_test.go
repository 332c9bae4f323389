package chain

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
)

func FuzzRecord(f *testing.F) {
	c := New("run")
	fact := record.Fact{Type: "t", Step: "1.1", Attempt: 2, Data: json.RawMessage(`{}`)}
	signature := bytes.Repeat([]byte{7}, ed25519.SignatureSize)
	sign := func([]byte) ([]byte, error) { return signature, nil }
	b, _, _ := c.Extend(nil, fact, time.Unix(1, 2), nil)
	f.Add(b[:len(b)-32])
	b, _, _ = c.Extend(nil, fact, time.Unix(1, 2), sign)
	f.Add(b[:len(b)-32-len(signature)])
	f.Fuzz(func(t *testing.T, body []byte) {
		c := New("run")
		h := c.hash(body)
		whole := append(bytes.Clone(body), h[:]...)
		signed := len(body) > 0 && body[0] == signedVersion
		if signed {
			if s, err := c.Follow(whole); err == nil {
				t.Fatalf("it needs no signature: %v", s)
			}
			whole = append(whole, signature...)
		}
		s, err := c.Follow(whole)
		if err != nil {
			return
		}
		r, sign := s.Record(&c), sign
		if !signed {
			sign = nil
		}
		if signed != bytes.Equal(r.Signature, signature) {
			t.Fatalf("its signature is %x", r.Signature)
		}
		again := New("run")
		b, _, err := again.Extend(nil, r.Fact, r.Time, sign)
		if err != nil {
			t.Fatal(err)
		}
		if compacted, _ := compact(r.Data); bytes.Equal(compacted, r.Data) && !bytes.Equal(b, whole) {
			t.Fatalf("another encoding of one record:\n%x\n%x", b, whole)
		}
	})
}
