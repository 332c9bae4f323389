package crash

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A crew tries many things, as many at a time as there are processors.
type crew struct {
	t      testing.TB
	dir    string
	done   atomic.Int64
	failed atomic.Int64
}

// enough is after how many failures a crew gives up.
const enough = 10

// try calls do with a folder of its own for each thing there is to try. do
// returns what is wrong.
func try[T any](c *crew, things iter.Seq[T], do func(thing T, dir string) (name string, problems []string)) {
	work := make(chan T)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for thing := range work {
				dir := filepath.Join(c.dir, fmt.Sprintf("try-%d", c.done.Add(1)))
				name, problems := do(thing, dir)
				if err := os.RemoveAll(dir); err != nil {
					c.t.Error(err)
				}
				if len(problems) > 0 && c.failed.Add(1) <= enough {
					c.t.Errorf("%s:\n%s", name, strings.Join(problems, "\n"))
				}
			}
		})
	}
	for thing := range things {
		if c.failed.Load() >= enough {
			break
		}
		work <- thing
	}
	close(work)
	wait.Wait()
}
