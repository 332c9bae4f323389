//go:build amd64 || arm64 || riscv64

package scan

import (
	"bytes"
	"encoding/binary"
	"slices"
	"syscall"
	"testing"
)

// record is a directory record as the system writes it.
func record(kind byte, name string) []byte {
	raw := make([]byte, 19, 300)
	raw[18] = kind
	raw = append(append(raw, name...), 0)
	for len(raw)%8 != 0 {
		raw = append(raw, 0xaa) // what is left of an earlier record
	}
	binary.NativeEndian.PutUint16(raw[16:], uint16(len(raw)))
	return raw
}

func TestDirectoryRecords(t *testing.T) {
	raw := slices.Concat(record(syscall.DT_DIR, "."), record(syscall.DT_DIR, ".."), record(syscall.DT_DIR, "d"),
		record(syscall.DT_REG, "...x"),
		record(syscall.DT_LNK, "l\n"), record(syscall.DT_FIFO, "p"), record(syscall.DT_UNKNOWN, "\xff"),
		record(syscall.DT_REG, "...x"))
	var b buffers
	b.addRecords(raw)
	b.sort()
	var got []string
	for _, l := range b.names {
		got = append(got, string(l.kind)+" "+string(b.name(l)))
	}
	if want := []string{"file ...x", "dir d", "link l\n", "special p", " \xff"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Records of any bytes are read without a fault, and no name comes out that a
// folder cannot hold.
func FuzzDirectoryRecords(f *testing.F) {
	f.Add(slices.Concat(record(syscall.DT_REG, "a"), record(syscall.DT_DIR, "b")))
	f.Add(record(syscall.DT_REG, "a")[:20])
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b buffers
		b.addRecords(raw)
		for _, l := range b.names {
			name := b.name(l)
			if len(name) == 0 || bytes.ContainsAny(name, "/\x00") || string(name) == "." || string(name) == ".." {
				t.Errorf("%q", name)
			}
		}
	})
}
