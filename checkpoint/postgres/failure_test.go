package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"

	"github.com/planlock/planlock/internal/pgserver"
)

func digest(content string) ledger.Digest { return ledger.Sum([]byte(content)) }

func TestURLThatCannotBeRead(t *testing.T) {
	for _, url := range []string{
		"postgres://me:" + secret + "@host:port/db",
		"postgres://me:" + secret + "/x@host/db",
		"postgres://me:%zz" + secret + "@host/db",
		"host=x port=y password=" + secret,
		"postgres://me:" + secret + "@host/db?connect_timeout=soon",
		secret,
	} {
		_, err := Open(t.Context(), url, Config{})
		says(t, err, "postgres://USER")
	}
}

// TestServerIsNotThere: the error says where it was looked for, and what to do.
func TestServerIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	_ = listener.Close()
	_, err = Open(t.Context(), "postgres://me:"+secret+"@"+at+"/app", Config{})
	says(t, err, `database "app" on "`+at+`"`, "does the server run")
}

func TestDatabaseIsNotThere(t *testing.T) {
	database(t)
	_, err := Open(t.Context(), one.URL("nowhere"), Config{})
	says(t, err, `database "nowhere"`, "CREATE DATABASE")
}

// TestRightsAreMissing: a role that may not make the schema.
func TestRightsAreMissing(t *testing.T) {
	url := database(t)
	admin(t, url, "DROP ROLE IF EXISTS guest")
	admin(t, url, "CREATE ROLE guest LOGIN")
	_, err := Open(t.Context(), strings.Replace(url, "postgres:"+secret, "guest:"+secret, 1), Config{})
	says(t, err, "grant the role")
	admin(t, url, "CREATE SCHEMA planlock AUTHORIZATION guest")
	opened(t, strings.Replace(url, "postgres:"+secret, "guest:"+secret, 1))
}

// TestDatabaseOnlyReads: what is there can be read, all else is refused, and
// nothing of it is kept.
func TestDatabaseOnlyReads(t *testing.T) {
	url, ctx := database(t), t.Context()
	s := opened(t, url)
	l := openLog(t, s, "R1")
	if err := errors.Join(l.Append(ctx, records("one")), l.Close()); err != nil {
		t.Fatal(err)
	}
	r := opened(t, url+"&default_transaction_read_only=on")
	if got := kept(t, r, "R1"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	_, opens := r.Runs().Open(ctx, "R1")
	_, claims := r.Runs().Claim(ctx, "lock", "R1", "")
	for what, err := range map[string]error{
		"open": opens, "claim": claims, "note": r.Runs().Note(ctx, "R1", checkpoint.Sealed),
		"put":       errors.Join(r.Blobs().Put(ctx, digest("x"), strings.NewReader("x")), r.Blobs().Sync(ctx)),
		"put paper": r.Papers().Put(ctx, "p", nil), "put new": r.Papers().PutNew(ctx, "p", nil),
	} {
		t.Run(what, func(t *testing.T) { says(t, err, "only reads", "database", "target_session_attrs") })
	}
	if has, err := s.Blobs().Has(ctx, digest("x")); has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	for listed, err := range s.Runs().List(ctx, checkpoint.Which{}) {
		if err != nil || listed.State != "" {
			t.Errorf("%v, %v", listed, err)
		}
	}
}

// TestServerIsFull: a batch that the disk of the server has no room for is not
// kept, not even in part, and the log is dead; what was gathered goes to the
// server once there is room.
func TestServerIsFull(t *testing.T) {
	url, ctx := database(t), t.Context()
	s := opened(t, url)
	l := openLog(t, s, "R1")
	if err := l.Append(ctx, records("one")); err != nil {
		t.Fatal(err)
	}
	admin(t, url, `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`)
	for _, table := range []string{"batches", "contents"} {
		admin(t, url, "CREATE TRIGGER no_room AFTER INSERT ON planlock."+table+" FOR EACH ROW EXECUTE FUNCTION no_room()")
	}
	err := l.Append(ctx, records("two", "three"))
	if !errors.Is(err, checkpoint.ErrDead) {
		t.Errorf("%v, want ErrDead", err)
	}
	says(t, err, "free space", "database", `log "R1"`)
	b, large := s.Blobs(), strings.Repeat("large", 1<<20)
	if err := b.Put(ctx, digest("small"), strings.NewReader("small")); err != nil {
		t.Error(err)
	}
	says(t, b.Sync(ctx), "free space")
	says(t, b.Put(ctx, digest(large), strings.NewReader(large)), "free space")
	for _, table := range []string{"batches", "contents"} {
		admin(t, url, "DROP TRIGGER no_room ON planlock."+table)
	}
	if err := l.Append(ctx, records("four")); !errors.Is(err, checkpoint.ErrDead) {
		t.Errorf("%v, want ErrDead", err)
	}
	if got := kept(t, s, "R1"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if err := b.Sync(ctx); err != nil {
		t.Error(err)
	}
	other := opened(t, url).Blobs()
	for content, want := range map[string]bool{"small": true, large: false} {
		if has, err := other.Has(ctx, digest(content)); err != nil || has != want {
			t.Errorf("%.5s: %v, %v", content, has, err)
		}
	}
}

// TestServerComesBack: what may be done twice waits for a server that restarts.
func TestServerComesBack(t *testing.T) {
	s := opened(t, database(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Blobs().Put(ctx, digest("x"), strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if err := one.Stop(pgserver.Crash); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 3)
	go func() { done <- s.Blobs().Sync(ctx) }()
	go func() { done <- s.Papers().Put(ctx, "p", []byte("text")) }()
	go func() {
		holder, err := s.Runs().Claim(ctx, "lock", "R1", "")
		if holder != "R1" {
			err = fmt.Errorf("%q has it, %w", holder, err)
		}
		done <- err
	}()
	time.Sleep(200 * time.Millisecond)
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestServerStaysGone: patience has an end, and the error says which server it
// was.
func TestServerStaysGone(t *testing.T) {
	direct := database(t)
	p := newProxy(t)
	s := opened(t, p.through(direct))
	s.all = 300 * time.Millisecond
	l := openLog(t, s, "R1")
	_ = p.listener.Close()
	p.cuts(1, "before")
	err := l.Append(t.Context(), records("one"))
	if !errors.Is(err, checkpoint.ErrDead) {
		t.Errorf("%v, want ErrDead", err)
	}
	says(t, err, p.listener.Addr().String(), "does the server run")
}
