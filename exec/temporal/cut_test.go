package temporal

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// silent keeps workers from saying that they are there, once it is off.
type silent struct{ off atomic.Bool }

func (s *silent) options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any,
		cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if s.off.Load() && strings.HasSuffix(method, "/RecordActivityTaskHeartbeat") {
			return status.Error(codes.Unavailable, "is silent")
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	})}
}

// A cable is a way to a server that can be cut: nothing goes through then, and no
// end is told.
type cable struct {
	net.Listener
	to string

	mu     sync.Mutex
	cut    chan struct{} // closed where it is whole
	broken bool
	ends   []net.Conn
}

func newCable(t testing.TB, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, to: to, cut: make(chan struct{})}
	close(c.cut)
	go c.serve()
	t.Cleanup(func() {
		c.Cut()
		c.Mend()
		l.Close()
	})
	return c
}

func (c *cable) serve() {
	for {
		from, err := c.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", c.to)
		if err != nil {
			from.Close()
			continue
		}
		c.mu.Lock()
		c.ends = append(c.ends, from, to)
		c.mu.Unlock()
		go c.copy(to, from)
		go c.copy(from, to)
	}
}

// copy carries one direction, as long as the cable is whole.
func (c *cable) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		whole := c.cut
		c.mu.Unlock()
		<-whole
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Cut has nothing go through any more.
func (c *cable) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.broken {
		c.broken, c.cut = true, make(chan struct{})
	}
}

// Mend has connections go through again; those of before are gone.
func (c *cable) Mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.broken {
		return
	}
	for _, end := range c.ends {
		end.Close()
	}
	c.ends, c.broken = nil, false
	close(c.cut)
}
