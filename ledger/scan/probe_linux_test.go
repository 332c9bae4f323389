package scan

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// A clock is judged by what it shows; times are those of a file system that is
// made up.
func TestProbe(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name  string
		tick  time.Duration // of the file system's clock
		off   time.Duration // how far it is from ours
		shift time.Duration // by how much its ticks lie beside the full millisecond
		plant bool          // a program can set the time of change
		stuck bool
		fail  bool
		want  grain
	}{
		{name: "nanoseconds", tick: 1, want: fine},
		{name: "ticks of a kernel", tick: 4 * time.Millisecond, shift: 12345, want: fine},
		{name: "the longest ticks", tick: 10 * time.Millisecond, shift: 12345, want: fine},
		{name: "milliseconds", tick: time.Millisecond, want: coarse},
		{name: "seconds", tick: time.Second, want: coarse},
		{name: "stuck", tick: 1, stuck: true, want: coarse},
		{name: "another machine's clock, behind", tick: 1, off: -time.Second, want: misleading},
		{name: "another machine's clock, ahead", tick: 1, off: time.Second, want: misleading},
		{name: "a time that can be set", tick: 1, plant: true, want: misleading},
		{name: "cannot be written", tick: 1, fail: true, want: unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := start.Add(time.Millisecond / 3)
			changed := now
			write := func() error {
				if tt.fail {
					return errors.New("read-only")
				}
				now = now.Add(300 * time.Microsecond)
				if !tt.stuck {
					changed = now.Add(tt.off).Truncate(tt.tick).Add(tt.shift)
				}
				return nil
			}
			plant := func() error {
				if tt.plant {
					changed = time.Unix(0, 0)
				}
				return nil
			}
			look := func() (status, error) {
				return status{changed: changed.Unix(), changedNs: uint32(changed.Nanosecond())}, nil
			}
			if got := measure(write, plant, look, func() time.Time { return now }); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

// What a step writes through a mapping into memory is found, also where the
// file system does not tell of it. The mapping reads the page before it writes,
// so that no fault comes with the write.
func TestProbeFindsMappedWrites(t *testing.T) {
	dirs := map[string]string{"temporary folder": t.TempDir()}
	if dir, err := os.MkdirTemp("/dev/shm", "planlock-test-"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		dirs["memory"] = dir
	}
	for name, dir := range dirs {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s Scanner) {
				write(t, dir, "f", "before")
				last := scanWith(t, s, dir, nil)
				for _, letter := range []byte("abc") {
					age(last)
					mapped := mapFile(t, dir+"/f")
					if mapped[0] != letter {
						mapped[0] = letter
					}
					if err := syscall.Munmap(mapped); err != nil {
						t.Fatal(err)
					}
					next := scanWith(t, s, dir, last)
					if next.Digest() == last.Digest() {
						t.Fatalf("%q, written through a mapping, was not seen; clock %d", letter, probe(dir))
					}
					last = next
				}
			})
			var st syscall.Statfs_t
			_, usable := trusted(dir)
			if err := syscall.Statfs(dir, &st); err == nil && uint32(st.Type) == 0x01021994 &&
				(usable || probe(dir) != misleading) {
				t.Errorf("a file system in memory is believed: usable %v, clock %d", usable, probe(dir))
			}
		})
	}
}

func mapFile(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, 6, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Asking leaves nothing behind, and does not touch the folder.
func TestProbeLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	grain := probe(dir)
	after, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if statusOf(before) != statusOf(after) {
		t.Error("the folder changed")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	t.Log("this file system's clock is", grain)
	if got := probe("/proc"); got != unknown {
		t.Errorf("of a folder where nothing can be written: %d", got)
	}
	if got := probe(dir + "/missing"); got != unknown {
		t.Errorf("of no folder: %d", got)
	}
}

// Before the first belief the clock is asked, and not again.
func TestProbeOnceInAChainOfScans(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "x")
	first := scanned(t, dir, nil)
	if memoryOf(first).trust.grain != unprobed {
		t.Error("a scan that believes nothing asked")
	}
	asked := 0
	probe := func() grain { asked++; return fine }
	usable := trust{start: memoryOf(first).trust.start, up: memoryOf(first).trust.up, dev: memoryOf(first).trust.dev,
		usable: true}
	next, believed := usable.next(&usable, probe)
	if !believed.on || next.grain != fine || asked != 1 {
		t.Errorf("after the first scan: %+v, %+v, asked %d times", next, believed, asked)
	}
	if next, believed = usable.next(&next, probe); !believed.on || next.grain != fine || asked != 1 {
		t.Errorf("after the second scan: %+v, %+v, asked %d times", next, believed, asked)
	}
	if _, believed = usable.next(&trust{dev: usable.dev + 1, usable: true}, probe); believed.on {
		t.Error("a tree of another file system is believed")
	}
	if _, believed = usable.next(nil, probe); believed.on {
		t.Error("no tree is believed")
	}
}
