package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/checkpoint/cloud"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// open opens a bucket until the test ends.
func open(t testing.TB, url string) *cloud.Blobs {
	t.Helper()
	b, err := cloud.Open(t.Context(), url, cloud.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// folder is the URL of a folder.
func folder(dir string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(dir), RawQuery: "no_tmp_dir=1&metadata=skip&prefix=planlock/"}
	return u.String()
}

// A kept bucket is not closed by those who use it.
type kept struct{ checkpoint.Blobs }

func TestRules(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		b := kept{open(t, "mem://")}
		checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return b, nil })
	})
	t.Run("folder", func(t *testing.T) {
		at := folder(t.TempDir())
		checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return cloud.Open(t.Context(), at, cloud.Config{}) })
	})
	t.Run("s3", func(t *testing.T) {
		at := server(t).url + "&prefix=planlock/"
		checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return cloud.Open(t.Context(), at, cloud.Config{}) })
	})
}

// everywhere tries something against each kind of bucket that can be had. where is
// the folder in which its objects are files, "" for none.
func everywhere(t *testing.T, try func(t *testing.T, b *cloud.Blobs, where string)) {
	t.Run("memory", func(t *testing.T) { try(t, open(t, "mem://"), "") })
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		try(t, open(t, folder(dir)), filepath.Join(dir, "planlock"))
	})
	t.Run("s3", func(t *testing.T) {
		s := server(t)
		try(t, open(t, s.url), s.bucket)
	})
}

// objects are the files of a content, where a bucket keeps its objects as files.
func objects(where string, content []byte) []string {
	sum := strings.TrimPrefix(string(ledger.Sum(content)), "sha256:")
	names, _ := filepath.Glob(filepath.Join(where, "sha256", sum[:2], sum[2:]+"*"))
	return names
}

// object is the file of a content, "none" where there is not one.
func object(where string, content []byte) string {
	if names := objects(where, content); len(names) == 1 {
		return names[0]
	}
	return "none"
}

// TestHalf breaks contents that are streamed in their middle.
func TestHalf(t *testing.T) {
	everywhere(t, func(t *testing.T, b *cloud.Blobs, where string) {
		torn := errors.New("torn by the test")
		for _, size := range []int{9 << 20, 21 << 20} {
			c := bytes.Repeat([]byte("0123456789abcdef"), size/16)
			for what, cut := range map[string]func(context.CancelCauseFunc) io.Reader{
				"reading fails": func(context.CancelCauseFunc) io.Reader { return iotest.ErrReader(torn) },
				"cancelled": func(stop context.CancelCauseFunc) io.Reader {
					return readerFunc(func(b []byte) (int, error) { stop(torn); return copy(b, c), nil })
				},
			} {
				ctx, stop := context.WithCancelCause(t.Context())
				half := io.MultiReader(bytes.NewReader(c[:size-size/8]), cut(stop))
				if err := b.Put(ctx, ledger.Sum(c), half); !errors.Is(err, torn) {
					t.Errorf("%s, %d bytes: %v", what, size, err)
				}
				stop(nil)
				has, err := b.Has(t.Context(), ledger.Sum(c))
				if _, gerr := b.Get(t.Context(), ledger.Sum(c)); has || err != nil || !errors.Is(gerr, checkpoint.ErrNotFound) {
					t.Errorf("%s, %d bytes: half is kept: %v, %v, %v", what, size, has, err, gerr)
				}
			}
			if err := errors.Join(b.Put(t.Context(), ledger.Sum(c), bytes.NewReader(c)), b.Sync(t.Context())); err != nil {
				t.Fatal(err)
			}
			if where != "" {
				got, err := os.ReadFile(object(where, c))
				if err != nil || !bytes.Equal(got, c) {
					t.Errorf("the object has %d bytes, want %d: %v", len(got), size, err)
				}
			}
		}
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// TestLies changes what a bucket holds.
func TestLies(t *testing.T) {
	everywhere(t, func(t *testing.T, b *cloud.Blobs, where string) {
		if where == "" {
			t.Skip("nobody else can write to memory")
		}
		store := checkpoint.NewStore(b)
		d, err := store.Put(t.Context(), []byte("what was put"))
		if err != nil {
			t.Fatal(err)
		}
		if d != ledger.Sum([]byte("what was put")) {
			t.Fatal(d)
		}
		if err := os.WriteFile(object(where, []byte("what was put")), []byte("what was pot"), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := store.Get(t.Context(), d)
		if damaged := (*checkpoint.DamagedError)(nil); !errors.As(err, &damaged) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// TestRun runs a plan on a bucket, with a failure, so that a tree is restored
// from it.
func TestRun(t *testing.T) {
	everywhere(t, func(t *testing.T, b *cloud.Blobs, _ string) {
		script := exectest.Script{
			"1.1": exectest.Write("greeting.txt", "Hello\n"),
			"1.2": exectest.All(exectest.Write("greeting.txt", "Hello reader\n"), exectest.Write("junk", "j")),
		}
		bench := exectest.New(t, "../../examples/embedded/plan.toml", exectest.Files{"notes/mine": "n\n"}, script)
		bench.Controller.Blobs = b
		run := bench.Run(t)
		run.Want(t, history.NotAchieved)
		if got := run.Read(t, "greeting.txt"); got != "Hello\n" {
			t.Errorf("greeting.txt holds %q, want what the checkpoint held", got)
		}
	})
}

// TestNone opens what is no bucket.
func TestNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	for _, at := range []string{folder(dir), "file://user:hidden@/?secret_key_path=hidden", "nothing://x?key=hidden", "s3://user:hidden@x%", "::"} {
		b, err := cloud.Open(t.Context(), at, cloud.Config{})
		if err == nil {
			t.Errorf("%q was opened", at)
			_ = b.Close()
		} else if strings.Contains(err.Error(), "hidden") {
			t.Errorf("the error tells a secret: %v", err)
		} else {
			t.Log(err)
		}
		if at == folder(dir) && !strings.Contains(err.Error(), "make the bucket") {
			t.Errorf("the error does not say what would help: %v", err)
		}
	}
}

func TestClosed(t *testing.T) {
	b, err := cloud.Open(t.Context(), "mem://", cloud.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if err := b.Put(t.Context(), ledger.Sum(nil), strings.NewReader("")); !errors.Is(err, checkpoint.ErrClosed) {
		t.Errorf("put: %v", err)
	}
}
