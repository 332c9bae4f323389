package disk_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/disk"
)

// A list is a Layer that notes what is done.
type list struct{ ops []string }

func (l *list) Do(op *disk.Op, run func() error) error {
	err := run()
	if op.Changes() && err == nil {
		l.ops = append(l.ops, string(op.Kind)+" "+filepath.Base(op.Path))
	}
	return err
}

func (l *list) Boot() string { return "a test" }

// work does a bit of everything below dir.
func work(d *disk.Disk, dir string) error {
	root, err := d.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile("temp", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("abc"))
	_, err2 := f.WriteAt([]byte("x"), 1)
	part := make([]byte, 2)
	_, err3 := f.ReadAt(part, 0)
	if string(part) != "ax" {
		err3 = errors.Join(err3, errors.New("another content was read"))
	}
	return errors.Join(err, err2, err3, f.Truncate(2), f.SyncData(), f.Chmod(0o640), f.Chtimes(time.Unix(1, 0)),
		f.Sync(), f.Close(),
		root.Rename("temp", "f"), root.MakeFolders("a/b", 0o755), root.Chmod("a/b", 0o700),
		root.Chtimes("f", time.Unix(2, 0)),
		root.SyncFolder("."), d.Anywhere().Rename(filepath.Join(dir, "f"), filepath.Join(dir, "a", "f")),
		root.RemoveAll("a/b"))
}

func TestBothWaysDoTheSame(t *testing.T) {
	plain, watched := t.TempDir(), t.TempDir()
	l := &list{}
	for dir, d := range map[string]*disk.Disk{plain: nil, watched: disk.New(l)} {
		if err := work(d, dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "a", "f"))
		if err != nil || string(text) != "ax" {
			t.Errorf("the file holds %q, %v", text, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "a", "f")); err != nil || !info.ModTime().Equal(time.Unix(2, 0)) {
			t.Errorf("the time of the file is %v, %v", info, err)
		}
	}
	base := filepath.Base(watched)
	want := []string{"create temp", "write temp", "write temp", "truncate temp", "syncdata temp", "chmod temp", "chtimes temp", "sync temp",
		"rename temp", "mkdir a", "syncfolder " + base, "mkdir b", "syncfolder a", "chmod b", "chtimes f",
		"syncfolder " + base,
		"rename f", "remove b"}
	if diff := cmp.Diff(want, l.ops); diff != "" {
		t.Error(diff)
	}
}

func TestOpeningThatCutsIsSeen(t *testing.T) {
	l := &list{}
	name := filepath.Join(t.TempDir(), "f")
	for range 2 {
		f, err := disk.New(l).Anywhere().OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, "x"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"create f", "write f", "truncate f", "write f"}, l.ops); diff != "" {
		t.Error(diff)
	}
}

func TestNothingLeadsOut(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []*disk.Disk{nil, disk.New(&list{})} {
		root, err := d.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := root.OpenFile("../f", os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			t.Error("a file was made outside")
		}
		if err := errors.Join(root.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestContext(t *testing.T) {
	if d := disk.From(context.Background()); d != nil {
		t.Errorf("there is a disk in an empty context: %v", d)
	}
	d := disk.New(&list{})
	ctx := disk.With(context.Background(), d)
	if disk.From(context.WithoutCancel(ctx)) != d || d.Boot() != "a test" || d.Plain() {
		t.Error("the disk got lost")
	}
	var none *disk.Disk
	if !none.Plain() {
		t.Error("nil is not plain")
	}
}

// BenchmarkWriteAt holds that nothing is added to a write.
func BenchmarkWriteAt(b *testing.B) {
	f, err := (*disk.Disk)(nil).Anywhere().OpenFile(filepath.Join(b.TempDir(), "f"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 512)
	for name, w := range map[string]io.WriterAt{"os": f.OS(), "disk": f} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.WriteAt(buf, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestPlainWritesAllocateNothing(t *testing.T) {
	f, err := (*disk.Disk)(nil).Anywhere().OpenFile(filepath.Join(t.TempDir(), "f"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 512)
	n := testing.AllocsPerRun(100, func() {
		if _, err := f.WriteAt(buf, 0); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("a write allocates %v times", n)
	}
}
