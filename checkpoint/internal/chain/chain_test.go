package chain

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
)

func FuzzRecord(f *testing.F) {
	c := New("run")
	b, _, _ := c.Extend(nil, record.Fact{Type: "t", Step: "1.1", Attempt: 2, Data: json.RawMessage(`{}`)},
		time.Unix(1, 2))
	f.Add(b[:len(b)-32])
	f.Fuzz(func(t *testing.T, body []byte) {
		c := New("run")
		h := c.hash(body)
		s, err := c.Follow(append(bytes.Clone(body), h[:]...))
		if err != nil {
			return
		}
		r := s.Record(&c)
		again := New("run")
		b, _, err := again.Extend(nil, r.Fact, r.Time)
		if err != nil {
			t.Fatal(err)
		}
		if compacted, _ := compact(r.Data); bytes.Equal(compacted, r.Data) && !bytes.Equal(b[:len(b)-32], body) {
			t.Fatalf("another encoding of one record:\n%x\n%x", b[:len(b)-32], body)
		}
	})
}
