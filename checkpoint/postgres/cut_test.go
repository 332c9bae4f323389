package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
)

// A proxy stands between a store and the server, counts the messages of both,
// and cuts the connection at one of them.
type proxy struct {
	listener net.Listener
	server   string // its socket

	mu    sync.Mutex
	count int    // of messages
	sent  []byte // their types, of the client
	at    int    // which is the last one; 0: none
	how   string // "before" it arrives, "behind" it, "open": the server does not learn of it; "stall": nothing more arrives
	was   bool   // it was cut
	conns []net.Conn
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: filepath.Join(one.Dir, ".s.PGSQL.5432")}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", p.server)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, server)
			p.mu.Unlock()
			go p.pass(client, server, client, true)
			go p.pass(server, client, client, false)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.conns {
			_ = c.Close()
		}
	})
	return p
}

// through is a URL of the database by way of the proxy.
func (p *proxy) through(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		panic(err)
	}
	u.Host, u.RawQuery = p.listener.Addr().String(), "sslmode=disable"
	return u.String()
}

// pass passes messages on. The first one of a client has no type.
func (p *proxy) pass(from, to, client net.Conn, byClient bool) {
	defer to.Close()
	head := make([]byte, 5)
	for first := byClient; ; first = false {
		lead := head
		if first {
			lead = head[1:]
		}
		if _, err := io.ReadFull(from, lead); err != nil {
			return
		}
		message := append(slices.Clone(lead), make([]byte, binary.BigEndian.Uint32(head[1:])-4)...)
		if _, err := io.ReadFull(from, message[len(lead):]); err != nil {
			return
		}
		p.mu.Lock()
		p.count++
		if byClient && !first {
			p.sent = append(p.sent, head[0])
		}
		cut, how := p.at > 0 && p.count >= p.at && !p.was, p.how
		p.was = p.was || cut
		p.mu.Unlock()
		if cut && how != "behind" {
			switch how {
			case "before":
				_ = from.Close()
			case "open":
				_ = client.Close()
				select {} // nobody closes the other side, until the test is over
			case "stall":
				select {}
			}
			return
		}
		if _, err := to.Write(message); err != nil || cut {
			_ = from.Close()
			return
		}
	}
}

// cuts has the nth message from now on be the last of its connection.
func (p *proxy) cuts(n int, how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.sent, p.at, p.how, p.was = 0, nil, n, how, false
}

func (p *proxy) wasCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.was
}

// sends is how many messages of a type the client has sent since.
func (p *proxy) sends(kind byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Count(string(p.sent), string(kind))
}

// TestConnectionIsCut cuts the connection of a writer at each of the messages
// that appending takes, in three ways. Each batch is acknowledged, and there
// once.
func TestConnectionIsCut(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	s, reader := opened(t, p.through(direct)), opened(t, direct)
	for _, how := range []string{"before", "behind", "open"} {
		cut := true
		n := 1
		for ; cut; n++ {
			p.cuts(0, "")
			name := fmt.Sprintf("R.%s.%d", how, n)
			l := openLog(t, s, name)
			p.cuts(n, how)
			err := errors.Join(l.Append(t.Context(), records("1")), l.Write(t.Context(), records("2", "3")),
				l.Append(t.Context(), records("4")), l.Write(t.Context(), records("5")), l.Sync(t.Context()))
			cut = p.wasCut()
			if err != nil {
				t.Fatalf("cut %s message %d: %v", how, n, err)
			}
			if got := kept(t, reader, name); !slices.Equal(got, []string{"1", "2", "3", "4", "5"}) {
				t.Fatalf("cut %s message %d: %q", how, n, got)
			}
			p.cuts(0, "")
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if l.epoch != 1 {
				t.Errorf("cut %s message %d: epoch %d", how, n, l.epoch)
			}
			if testing.Short() {
				n += 6
			}
		}
		t.Logf("cut %s messages, of which there are about %d", how, n-2)
	}
}

// TestAppendIsOneRoundTrip: the client says what it has to say at once.
func TestAppendIsOneRoundTrip(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	l := openLog(t, opened(t, p.through(direct)), "R1")
	if err := l.Append(t.Context(), records("the statement is prepared")); err != nil {
		t.Fatal(err)
	}
	p.cuts(0, "")
	if err := l.Append(t.Context(), records("a", "b", "c")); err != nil {
		t.Fatal(err)
	}
	if n := p.sends('S'); n != 1 {
		t.Errorf("%d round trips", n)
	}
}

// TestSmallContentsGoTogether: hundreds of contents cost a few statements.
func TestSmallContentsGoTogether(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	b := opened(t, p.through(direct)).Blobs()
	p.cuts(0, "")
	for i := range 500 {
		content := strings.Repeat(fmt.Sprintf("content %d ", i), 200)
		if err := b.Put(t.Context(), digest(content), strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := p.sends('E'); n == 0 || n > 3 {
		t.Errorf("%d statements for 500 contents of 2 KiB", n)
	}
}

// TestServerStalls: a server that does not answer costs what the context allows,
// and no more; what became of the batch is not known, so the log is dead.
func TestServerStalls(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	s := opened(t, p.through(direct))
	l := openLog(t, s, "R1")
	if err := l.Append(t.Context(), records("one")); err != nil {
		t.Fatal(err)
	}
	p.cuts(1, "stall")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := l.Append(ctx, records("two"))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if !errors.Is(err, checkpoint.ErrDead) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want ErrDead and context.DeadlineExceeded", err)
	}
	says(t, err, "127.0.0.1", "database")
	if err := l.Append(t.Context(), records("three")); !errors.Is(err, checkpoint.ErrDead) {
		t.Errorf("%v, want ErrDead", err)
	}
}

// TestStalledConnectionIsGivenUp: without a deadline the log gives a connection
// up after a while, and goes on with another.
func TestStalledConnectionIsGivenUp(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	s := opened(t, p.through(direct))
	s.attempt = 300 * time.Millisecond
	l := openLog(t, s, "R1")
	p.cuts(4, "stall")
	if err := errors.Join(l.Append(t.Context(), records("one")), l.Append(t.Context(), records("two"))); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "R1"); !p.wasCut() || !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
}
