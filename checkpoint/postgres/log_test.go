package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"

	"github.com/planlock/planlock/internal/pgserver"
)

// openLog opens a log, whose type the tests know.
func openLog(t testing.TB, s *Store, name string) *log {
	t.Helper()
	var l checkpoint.Log
	var err error
	// What was killed may still be dying.
	for limit := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		l, err = s.Runs().Open(context.Background(), name)
		if held := (*checkpoint.HeldError)(nil); !errors.As(err, &held) || time.Now().After(limit) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return l.(*log)
}

// kept is what a reader sees in a log.
func kept(t testing.TB, s *Store, name string) (all []string) {
	t.Helper()
	l, err := s.Runs().Read(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range l.Replay(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(r))
	}
	return all
}

func records(texts ...string) (batch [][]byte) {
	for _, text := range texts {
		batch = append(batch, []byte(text))
	}
	return batch
}

// TestHolderIsNamed: who holds a log is told to who would open it.
func TestHolderIsNamed(t *testing.T) {
	s := opened(t, database(t))
	l := openLog(t, s, "R1")
	defer l.Close()
	_, err := s.Runs().Open(t.Context(), "R1")
	held := (*checkpoint.HeldError)(nil)
	if !errors.As(err, &held) {
		t.Fatalf("%v is no HeldError", err)
	}
	host, _ := os.Hostname()
	says(t, err, "log R1 of workspace default in database", fmt.Sprintf("process %d", os.Getpid()), host, "since 20")
}

// TestEpochFences: a writer whose connection is gone, and who does not know it,
// adds nothing behind the one that came after.
func TestEpochFences(t *testing.T) {
	url := database(t)
	s, other := opened(t, url), opened(t, url)
	first := openLog(t, s, "R1")
	if err := first.Append(t.Context(), records("one")); err != nil {
		t.Fatal(err)
	}
	admin(t, url, "SELECT pg_terminate_backend($1)", int64(first.conn.PgConn().PID()))
	second := openLog(t, other, "R1")
	if second.epoch != first.epoch+1 {
		t.Errorf("epochs %d and %d", first.epoch, second.epoch)
	}
	for range 2 { // while the second has the lock
		if err := first.Append(t.Context(), records("late")); !errors.Is(err, checkpoint.ErrFenced) {
			t.Errorf("the earlier writer: %v, want ErrFenced", err)
		}
	}
	if err := errors.Join(second.Append(t.Context(), records("two")), second.Close(), first.Close()); err != nil {
		t.Error(err)
	}
	if got := kept(t, s, "R1"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
}

// TestEpochFencesOnceTheOtherIsGone: the lock is free again, and no sign that it
// is still one's own.
func TestEpochFencesOnceTheOtherIsGone(t *testing.T) {
	url := database(t)
	s := opened(t, url)
	first := openLog(t, s, "R1")
	admin(t, url, "SELECT pg_terminate_backend($1)", int64(first.conn.PgConn().PID()))
	if err := openLog(t, s, "R1").Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Append(t.Context(), records("late")); !errors.Is(err, checkpoint.ErrFenced) {
		t.Errorf("%v, want ErrFenced", err)
	}
	if err := first.Sync(t.Context()); !errors.Is(err, checkpoint.ErrFenced) {
		t.Errorf("%v, want ErrFenced", err)
	}
	if got := kept(t, s, "R1"); got != nil {
		t.Errorf("%q", got)
	}
}

// TestWriterGoesOnWithoutItsConnection: one that broke while nobody used it is
// made anew, in the same epoch.
func TestWriterGoesOnWithoutItsConnection(t *testing.T) {
	url := database(t)
	s := opened(t, url)
	l := openLog(t, s, "R1")
	epoch := l.epoch
	for _, text := range []string{"one", "two", "three"} {
		if err := l.Append(t.Context(), records(text)); err != nil {
			t.Fatal(err)
		}
		admin(t, url, "SELECT pg_terminate_backend($1)", int64(l.conn.PgConn().PID()))
	}
	if err := l.Append(t.Context(), records("four")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Runs().Open(t.Context(), "R1"); err == nil {
		t.Error("the lock was not taken again")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if next := openLog(t, s, "R1"); next.epoch != epoch+1 || next.size != 4 {
		t.Errorf("epoch %d and %d records, want %d and 4", next.epoch, next.size, epoch+1)
	}
}

// TestIdleWriterIsNotGone: a writer that adds nothing, and whose connection is cut,
// has its log again by itself, in the same epoch; until then nobody has it.
func TestIdleWriterIsNotGone(t *testing.T) {
	url := database(t)
	s, other := opened(t, url), opened(t, url)
	s.notice = 300 * time.Millisecond
	l := openLog(t, s, "R1")
	defer l.Close()
	epoch, free := l.epoch, false
	for range 2 {
		admin(t, url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
		for limit := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			who, err := runs{other}.Holder(t.Context(), "R1")
			if err != nil || time.Now().After(limit) {
				t.Fatalf("%q has it, and %v", who, err)
			}
			if free = free || who == ""; free && strings.Contains(who, fmt.Sprintf("process %d", os.Getpid())) {
				break
			}
		}
	}
	if err := l.Append(t.Context(), records("one")); err != nil || l.epoch != epoch {
		t.Errorf("it goes on in epoch %d, which was %d: %v", l.epoch, epoch, err)
	}
}

// TestFencedWriterHoldsNothing: one that looks for its connection takes no log from
// the writer that came after, nor after that one.
func TestFencedWriterHoldsNothing(t *testing.T) {
	url := database(t)
	s, other := opened(t, url), opened(t, url)
	s.notice = 20 * time.Millisecond
	for _, over := range []bool{false, true} {
		first := openLog(t, s, "R1")
		first.turn <- struct{}{} // it does not look meanwhile
		admin(t, url, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
		second := openLog(t, other, "R1")
		if over {
			if err := second.Close(); err != nil {
				t.Error(err)
			}
		}
		<-first.turn
		time.Sleep(200 * time.Millisecond)
		if who, err := (runs{other}).Holder(t.Context(), "R1"); (who == "") != over || err != nil {
			t.Errorf("whose writer is gone: %v: it is of %q, %v", over, who, err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		if err := first.Append(t.Context(), records("late")); !errors.Is(err, checkpoint.ErrFenced) {
			t.Errorf("%v, want ErrFenced", err)
		}
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHolderIsOfOneDatabase: the server lists the locks of all its databases, and
// a log that is called the same elsewhere is another one.
func TestHolderIsOfOneDatabase(t *testing.T) {
	a, b := opened(t, database(t)), opened(t, database(t))
	l := openLog(t, a, "R1")
	defer l.Close()
	for s, want := range map[*Store]bool{a: true, b: false} {
		if who, err := (runs{s}).Holder(t.Context(), "R1"); (who != "") != want || err != nil {
			t.Errorf("%s: %q, %v", s.where, who, err)
		}
	}
}

// TestManyWriters has writers take a log from each other while their connections
// are cut. What was acknowledged is there once, and what one opening added stands
// together.
func TestManyWriters(t *testing.T) {
	url := database(t)
	s := opened(t, url)
	openLog(t, s, "R1").Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var (
		wait         sync.WaitGroup
		mu           sync.Mutex
		acknowledged []string
	)
	for w := range 4 {
		wait.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l, err := s.Runs().Open(context.Background(), "R1")
				if err != nil {
					continue
				}
				for i := range 5 {
					text := fmt.Sprintf("%06d %d-%d-%d", l.(*log).epoch, w, n, i)
					err := l.Append(context.Background(), records(text, "end of "+text))
					if err != nil {
						if !errors.Is(err, checkpoint.ErrFenced) && !errors.Is(err, checkpoint.ErrDead) {
							t.Error(err)
						}
						break
					}
					mu.Lock()
					acknowledged = append(acknowledged, text)
					mu.Unlock()
				}
				_ = l.Close()
			}
		})
	}
	for ctx.Err() == nil {
		admin(t, url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'`)
		time.Sleep(3 * time.Millisecond)
	}
	wait.Wait()
	seen, last := map[string]int{}, ""
	all := kept(t, s, "R1")
	for i := 0; i < len(all); i += 2 {
		if all[i+1] != "end of "+all[i] {
			t.Fatalf("%q is followed by %q", all[i], all[i+1])
		}
		if seen[all[i]]++; all[i] < last {
			t.Errorf("%q stands behind %q", all[i], last)
		}
		last = all[i]
	}
	for _, text := range acknowledged {
		if seen[text] != 1 {
			t.Errorf("%q was acknowledged, and is there %d times", text, seen[text])
		}
	}
	t.Logf("%d batches acknowledged, %d kept", len(acknowledged), len(all)/2)
	if len(acknowledged) == 0 {
		t.Error("nobody appended anything")
	}
}

// TestWritten: what is written is there for others, and durable with the next
// that is appended; what a crash of the server takes is missed.
func TestWritten(t *testing.T) {
	s := opened(t, database(t))
	l := openLog(t, s, "R1")
	err := errors.Join(l.Write(t.Context(), records("written")), l.Append(t.Context(), records("appended")),
		l.Write(t.Context(), records("synced")), l.Sync(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(t.Context(), records("loose")); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "R1"); !slices.Equal(got, []string{"written", "appended", "synced", "loose"}) {
		t.Errorf("%q", got)
	}
	restart(t, pgserver.Crash)
	switch got := kept(t, s, "R1"); {
	case len(got) == 4:
		t.Skip("the machine is slow, and the server wrote by itself what was to be lost")
	case !slices.Equal(got, []string{"written", "appended", "synced"}):
		t.Fatalf("%q", got)
	}
	for range 2 {
		err := l.Append(t.Context(), records("behind what is gone"))
		if !errors.Is(err, checkpoint.ErrDead) || !strings.Contains(fmt.Sprint(err), "3 records, not 4") {
			t.Errorf("%v, want ErrDead", err)
		}
	}
	_ = l.Close()
	l = openLog(t, s, "R1")
	if err := errors.Join(l.Write(t.Context(), records("again")), l.Close()); err != nil {
		t.Error(err)
	}
	restart(t, pgserver.Crash)
	if got := kept(t, s, "R1"); !slices.Equal(got, []string{"written", "appended", "synced", "again"}) {
		t.Errorf("%q: Close does not make durable what was written", got)
	}
}

// restart stops the server and starts it again.
func restart(t testing.TB, how os.Signal) {
	t.Helper()
	if err := one.Stop(how); err != nil {
		t.Fatal(err)
	}
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
}

// TestServerRestarts crashes the server while batches are appended.
func TestServerRestarts(t *testing.T) {
	s := opened(t, database(t))
	l := openLog(t, s, "R1")
	var want []string
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			text := fmt.Sprint(i)
			if err := l.Append(context.Background(), records(text, text)); err != nil {
				done <- err
				return
			}
			want = append(want, text, text)
		}
	}()
	for range 3 {
		time.Sleep(200 * time.Millisecond)
		restart(t, pgserver.Crash)
	}
	time.Sleep(200 * time.Millisecond)
	close(stop)
	if err := <-done; err != nil {
		t.Errorf("after %d records: %v", len(want), err)
	}
	if got := kept(t, s, "R1"); !slices.Equal(got, want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	t.Logf("%d records over 3 crashes", len(want))
}

// children are what this program does where a test starts it again.
var children = map[string]func() int{"append": appendForever, "run": runPlan}

// child starts this program again, in a role.
func child(t *testing.T, role string, env ...string) (*osexec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), "PLANLOCK_TEST_ROLE="+role), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// appendForever appends records, and says each that was acknowledged.
func appendForever() int {
	ctx := context.Background()
	s, err := Open(ctx, os.Getenv("PLANLOCK_TEST_URL"), Config{})
	var l checkpoint.Log
	if err == nil {
		l, err = s.Runs().Open(ctx, "R1")
	}
	for i := 0; err == nil; i++ {
		if err = l.Append(ctx, records(fmt.Sprint(i))); err == nil {
			fmt.Println(i)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestWriterIsKilled kills a writer; the next one goes on behind what it
// appended.
func TestWriterIsKilled(t *testing.T) {
	url := database(t)
	s := opened(t, url)
	cmd, out := child(t, "append", "PLANLOCK_TEST_URL="+url)
	var want []string
	for len(want) < 50 && out.Scan() {
		want = append(want, out.Text())
	}
	_, err := s.Runs().Open(t.Context(), "R1")
	says(t, err, fmt.Sprintf("process %d ", cmd.Process.Pid))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for out.Scan() { // what it said before it died
		want = append(want, out.Text())
	}
	_ = cmd.Wait() // it was killed
	began := time.Now()
	l := openLog(t, s, "R1")
	t.Logf("opened %v after the writer was killed", time.Since(began).Round(time.Millisecond))
	got := kept(t, s, "R1")
	if len(got) != len(want) && len(got) != len(want)+1 || !slices.Equal(got[:len(want)], want) {
		t.Errorf("%d records, %d were acknowledged", len(got), len(want))
	}
	if err := errors.Join(l.Append(t.Context(), records("next")), l.Close()); err != nil {
		t.Error(err)
	}
	if after := kept(t, s, "R1"); !slices.Equal(after, append(got, "next")) {
		t.Errorf("%d records, want %d", len(after), len(got)+1)
	}
}

func TestLargeBatch(t *testing.T) {
	s := opened(t, database(t))
	l := openLog(t, s, "R1")
	defer l.Close()
	half := make([]byte, 32<<20)
	if err := l.Append(t.Context(), [][]byte{half, half}); !errors.Is(err, record.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	if err := l.Append(t.Context(), [][]byte{half, half[8:]}); err != nil {
		t.Errorf("64 MiB with the length of each record: %v", err)
	}
	if got := kept(t, s, "R1"); len(got) != 2 || len(got[0])+len(got[1]) != 64<<20-8 {
		t.Errorf("%d records", len(got))
	}
}

// TestReplayByPages reads a log that has several pages, large batches and small
// ones, and one of which a batch was taken away.
func TestReplayByPages(t *testing.T) {
	url := database(t)
	s := opened(t, url)
	l := openLog(t, s, "R1")
	defer l.Close()
	var want []string
	for i := range 1500 {
		text := fmt.Sprint(i, " ")
		if i%100 == 0 {
			text = strings.Repeat(text, 3<<20/len(text))
		}
		want = append(want, text)
		if err := l.Write(t.Context(), records(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(t, s, "R1"); !slices.Equal(got, want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for _, gone := range []int{1499, 700} {
		admin(t, url, "DELETE FROM planlock.batches WHERE position = $1", gone)
		n, corrupt := 0, (*record.CorruptError)(nil)
		for _, err := range l.Replay(t.Context()) {
			if err == nil {
				n++
			} else if !errors.As(err, &corrupt) {
				t.Error(err)
			}
		}
		if corrupt == nil || corrupt.Seq != uint64(gone)+1 || n != gone {
			t.Errorf("without batch %d: %d records, then %v", gone, n, corrupt)
		}
	}
}
