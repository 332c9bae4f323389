package postgres

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAppend appends four records of 512 bytes, which is about a step.
func BenchmarkAppend(b *testing.B) {
	s := opened(b, database(b))
	batch := [][]byte{bytes.Repeat([]byte("a"), 512), bytes.Repeat([]byte("b"), 512), bytes.Repeat([]byte("c"), 512),
		bytes.Repeat([]byte("d"), 512)}
	for _, durable := range []bool{true, false} {
		l := openLog(b, s, fmt.Sprint("R", durable))
		b.Run(map[bool]string{true: "Append", false: "Write"}[durable], func(b *testing.B) {
			for b.Loop() {
				if err := l.add(b.Context(), batch, durable); err != nil {
					b.Fatal(err)
				}
			}
		})
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	}
}

// BenchmarkPut puts 500 contents of 2 KiB and syncs once, as a snapshot does.
func BenchmarkPut(b *testing.B) {
	blobs := opened(b, database(b)).Blobs()
	for n := 0; b.Loop(); n++ {
		for i := range 500 {
			content := strings.Repeat(fmt.Sprintf("%06d %06d ", n, i), 146)
			if err := blobs.Put(b.Context(), digest(content), strings.NewReader(content)); err != nil {
				b.Fatal(err)
			}
		}
		if err := blobs.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
