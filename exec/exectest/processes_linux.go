package exectest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processes are those that this process started, and those that work in a
// folder, by id. What has ended is not among them, even where nobody has asked
// for its status.
func processes(dir string) map[int]string {
	all := map[int]string{}
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended meanwhile
		}
		var state string
		var parent int
		name, rest, _ := strings.Cut(string(text), "(")
		end := strings.LastIndex(rest, ")")
		if end < 0 {
			continue
		}
		if _, err := fmt.Sscan(rest[end+1:], &state, &parent); err != nil || state == "Z" || state == "X" {
			continue
		}
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		ours := parent == os.Getpid() || cwd == dir || strings.HasPrefix(cwd, dir+"/")
		if pid, err := strconv.Atoi(strings.TrimSpace(name)); err == nil && pid != os.Getpid() && ours {
			all[pid] = rest[:end]
		}
	}
	return all
}
