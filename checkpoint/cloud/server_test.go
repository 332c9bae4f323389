package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cloud"
	"github.com/planlock/planlock/ledger"
)

// gateway is the program of an S3 server that keeps objects as files. It is
// installed once.
const gateway = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

const (
	user   = "planlock-test"
	secret = "a secret that nobody must read"
)

var installed = sync.OnceValues(func() (string, error) {
	if path, err := exec.LookPath("versitygw"); err == nil {
		return path, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, "planlock-ci", "bin")
	path := filepath.Join(bin, "versitygw")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", gateway)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOWORK=off", "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// An s3 is a server that runs.
type s3 struct {
	url    string // of its bucket
	host   string
	bucket string // the folder with its objects
	stop   func() // kills it
}

// server starts a server with a bucket, and has the credentials for it found.
func server(t testing.TB) *s3 {
	t.Helper()
	program, err := installed()
	if err != nil {
		t.Skipf("skipped: versitygw cannot be had: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", user)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", os.DevNull)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
	root, beside := t.TempDir(), t.TempDir()
	s := &s3{host: free(t), bucket: filepath.Join(root, "bucket")}
	if err := os.Mkdir(s.bucket, 0o755); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	run := exec.Command(program, "--port", s.host, "--quiet", "posix", "--sidecar", beside, root)
	run.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+user, "ROOT_SECRET_KEY="+secret)
	run.Stdout, run.Stderr = &said, &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() { _ = run.Process.Kill(); _ = run.Wait() })
	t.Cleanup(s.stop)
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", s.host)
		if err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(limit) {
			s.stop()
			t.Fatalf("versitygw does not serve: %v\n%s", err, said.String())
		}
	}
	s.url = at(s.host)
	return s
}

// at is the URL of the bucket behind an address.
func at(host string) string {
	q := url.Values{"endpoint": {"http://" + host}, "region": {"us-east-1"}, "use_path_style": {"true"}}
	return "s3://bucket?" + q.Encode()
}

// free is an address that nobody listens at.
func free(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// says checks that an error names the bucket, says what would help, and no secret.
func says(t *testing.T, err error, help string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "s3://bucket") || !strings.Contains(err.Error(), help) {
		t.Errorf("the error does not say %q: %v", help, err)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("the error tells the secret: %v", err)
	}
}

func TestDenied(t *testing.T) {
	s := server(t)
	b := open(t, s.url)
	for name, value := range map[string]string{"AWS_SECRET_ACCESS_KEY": "another", "AWS_ACCESS_KEY_ID": "nobody"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := cloud.Open(t.Context(), s.url, cloud.Config{})
			says(t, err, "give the credentials of somebody who may")
			t.Log(err)
		})
	}
	_, err := cloud.Open(t.Context(), strings.Replace(s.url, "bucket", "bucket-that-is-none", 1), cloud.Config{})
	says(t, err, "make the bucket, or mend its name")
	if err := os.Remove(s.bucket); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), ledger.Sum(nil)); errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("a bucket that is gone seems to be empty: %v", err)
	} else {
		says(t, err, "make the bucket")
	}
}

// TestKilled kills the server while contents are uploaded.
func TestKilled(t *testing.T) {
	s := server(t)
	begun := make(chan struct{}, 1000)
	proxy := through(t, s.host, func(r *http.Request) {
		if r.Method == http.MethodPut {
			begun <- struct{}{}
			time.Sleep(20 * time.Millisecond) // for some to be under way
		}
	})
	b := open(t, at(proxy))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var contents [][]byte
	go func() {
		for range 30 {
			<-begun
		}
		s.stop()
	}()
	var err error
	for i := 0; i < 60 && err == nil; i++ {
		contents = append(contents, bytes.Repeat([]byte(fmt.Sprintf("content %3d ", i)), 20_000))
		err = b.Put(ctx, ledger.Sum(contents[i]), bytes.NewReader(contents[i]))
	}
	if err == nil {
		err = b.Sync(ctx)
	}
	says(t, err, "")
	if err := b.Sync(ctx); err == nil {
		t.Error("what a server that is gone took is durable")
	}
	whole := 0
	for _, c := range contents {
		got, err := os.ReadFile(object(s.bucket, c))
		switch {
		case err == nil && !bytes.Equal(got, c):
			t.Errorf("half a content lies under its key: %d of %d bytes", len(got), len(c))
		case err == nil:
			whole++
		}
	}
	t.Logf("%d of %d contents were there when it was killed", whole, len(contents))
}

// TestKilledLarge kills the server while a content is streamed.
func TestKilledLarge(t *testing.T) {
	s := server(t)
	b, c := open(t, s.url), bytes.Repeat([]byte("a large content "), 3<<20)
	rest := bytes.NewReader(c[len(c)/2:])
	err := b.Put(t.Context(), ledger.Sum(c), io.MultiReader(bytes.NewReader(c[:len(c)/2]), readerFunc(func(b []byte) (int, error) {
		s.stop()
		return rest.Read(b)
	})))
	says(t, err, "look whether it can be reached")
	if info, err := os.Stat(object(s.bucket, c)); err == nil {
		t.Errorf("%d of %d bytes lie under the key", info.Size(), len(c))
	}
}

// TestRequests counts them: no content is sent that is there, and many are sent
// at a time, but not too many.
func TestRequests(t *testing.T) {
	s := server(t)
	var puts, now, most atomic.Int64
	proxy := proxied(t, s.host, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			puts.Add(1)
			n := now.Add(1)
			defer now.Add(-1)
			for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
			}
			time.Sleep(20 * time.Millisecond)
		}
		return true
	})
	for range 2 { // as two processes do, one after the other
		b := open(t, at(proxy))
		for i := range 100 {
			c := fmt.Appendf(nil, "content %d", i)
			if err := b.Put(t.Context(), ledger.Sum(c), bytes.NewReader(c)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const others = 2 // which journals refer to them, and what time it is
	if puts.Load() != 100+others || most.Load() > 16 || most.Load() < 4 {
		t.Errorf("%d uploads of 100 contents, at most %d at a time", puts.Load(), most.Load())
	}
}

// TestAgain has uploads fail for some time: what failed is tried again, and then
// all is well.
func TestAgain(t *testing.T) {
	s := server(t)
	var denies atomic.Bool
	proxy := deny(t, s.host, &denies)
	b, c := open(t, at(proxy)), []byte("a content that comes later")
	ctx, d := t.Context(), ledger.Sum(c)
	denies.Store(true)
	if err := b.Put(ctx, d, bytes.NewReader(c)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		says(t, b.Sync(ctx), "give the credentials")
	}
	if has, err := b.Has(ctx, d); has || err != nil {
		t.Errorf("it is kept: %v, %v", has, err)
	}
	more := []byte("another content")
	says(t, b.Put(ctx, ledger.Sum(more), bytes.NewReader(more)), "give the credentials")
	denies.Store(false)
	if err := errors.Join(b.Put(ctx, ledger.Sum(more), bytes.NewReader(more)), b.Sync(ctx)); err != nil {
		t.Error(err)
	}
	for _, c := range [][]byte{c, more} {
		if has, err := open(t, s.url).Has(ctx, ledger.Sum(c)); !has || err != nil {
			t.Errorf("%q is kept: %v, %v", c, has, err)
		}
	}
}

// TestSlow has a server that does not answer.
func TestSlow(t *testing.T) {
	s := server(t)
	var slow atomic.Bool
	over := make(chan struct{})
	proxy := through(t, s.host, func(r *http.Request) {
		if slow.Load() {
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}
	})
	b, err := cloud.Open(t.Context(), at(proxy), cloud.Config{Patience: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	defer close(over)
	slow.Store(true)
	c := []byte("a content")
	if err := b.Put(t.Context(), ledger.Sum(c), bytes.NewReader(c)); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, has := b.Has(soon, ledger.Sum([]byte("another")))
	_, get := b.Get(soon, ledger.Sum([]byte("another")))
	for what, err := range map[string]error{"sync": b.Sync(soon), "has": has, "get": get} {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", what, err)
		}
		says(t, err, "did not answer in time")
	}
	if r, err := b.Get(t.Context(), ledger.Sum(c)); err != nil {
		t.Errorf("what is under way: %v", err)
	} else if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, c) {
		t.Errorf("what is under way: %q, %v", got, err)
	}
	says(t, b.Sync(t.Context()), "the upload took too long")
}

// through is the address of a proxy that looks at each request before it lets it
// through.
func through(t testing.TB, host string, look func(*http.Request)) string {
	return proxied(t, host, func(_ http.ResponseWriter, r *http.Request) bool { look(r); return true })
}

// deny is the address of a proxy that can deny to write.
func deny(t testing.TB, host string, denies *atomic.Bool) string {
	return proxied(t, host, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || !denies.Load() {
			return true
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
		return false
	})
}

func proxied(t testing.TB, host string, look func(http.ResponseWriter, *http.Request) bool) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", host // the Host that was signed stays
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if look(w, r) {
			to.ServeHTTP(w, r)
		}
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// BenchmarkSmall puts 1000 contents of 2 KiB, and syncs.
func BenchmarkSmall(b *testing.B) {
	blobs, n := open(b, server(b).url), 0
	for b.Loop() {
		for range 1000 {
			n++
			c := bytes.Repeat(fmt.Appendf(nil, "%8d", n), 256)
			if err := blobs.Put(b.Context(), ledger.Sum(c), bytes.NewReader(c)); err != nil {
				b.Fatal(err)
			}
		}
		if err := blobs.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
