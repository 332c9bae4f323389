package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A wood is a generated tree: a number of files with a mean size, twelve to a
// folder.
type wood struct {
	files int
	mean  int
}

var woods = map[string]wood{
	"small": {1_000, 2 << 10},
	"12k":   {11_000, 4 << 10},
	"20k":   {20_000, 15 << 10},
	"large": {100_000, 10 << 10},
}

// name is the path of a file.
func (w wood) name(i int) string {
	k := i / 12
	return fmt.Sprintf("package%d/sub%d/d%d/file%d.go", k%40, k/40%9, k/360, i)
}

// plant makes the tree. The sizes are spread as those of sources are: most are
// small.
func (w wood) plant(root string) error {
	r := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 16*w.mean)
	for i := range content {
		content[i] = 'a' + byte(r.Uint32()%26)
	}
	for i := range w.files {
		path := filepath.Join(root, w.name(i))
		if i%12 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
		}
		size := max(16, min(int(r.ExpFloat64()*float64(w.mean)), len(content)-1))
		if err := os.WriteFile(path, content[r.IntN(len(content)-size):][:size], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// some are n files all over the tree, others in each round.
func (w wood) some(n, round int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = w.name(i*(w.files/n) + round%(w.files/n))
	}
	return names
}

// touch writes over the beginning of n files all over the tree.
func (w wood) touch(root string, n, round int) error {
	for _, name := range w.some(n, round) {
		f, err := os.OpenFile(filepath.Join(root, name), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f, "%07d\n", round); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
