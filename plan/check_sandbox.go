package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan/internal/hidden"
)

var (
	sizeText     = lazyre.New(`^[1-9][0-9]{0,14}(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)?$`)
	variableText = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (c *checker) sandbox() {
	s := &c.p.Sandbox
	if s.Level == "none" {
		c.report("sandbox-none", "sandbox.level", "steps run without a sandbox", `take level out for "filesystem"`)
	}
	if d, err := time.ParseDuration(s.CPU); s.CPU != "" && (err != nil || d <= 0 || d > LongestDuration) {
		c.report("sandbox-value", "sandbox.cpu", fmt.Sprintf("cpu = %q is not a time", s.CPU), `write it as "30s" or "5m"`)
	}
	for _, v := range []struct{ key, text string }{{"memory", s.Memory}, {"output", s.Output}} {
		if v.text != "" && !sizeText.MatchString(v.text) {
			c.report("sandbox-value", "sandbox."+v.key, fmt.Sprintf("%s = %q is not a size", v.key, v.text), `write it as "512MiB" or "2GiB"`)
		}
	}
	for i, name := range s.Env {
		if !variableText.MatchString(name) {
			c.report("sandbox-value", fmt.Sprintf("sandbox.env[%d]", i), fmt.Sprintf("%q is not the name of a variable", name), "name variables, not values")
		}
	}
	for i, path := range s.Writable {
		if path == "" || hidden.Index(path) >= 0 || strings.TrimSpace(path) != path || hasDots(path) {
			c.report("sandbox-value", fmt.Sprintf("sandbox.writable[%d]", i), fmt.Sprintf("%q is not a folder", path), "name folders in full, without ..")
		}
	}
}

func hasDots(path string) bool {
	for name := range strings.SplitSeq(strings.ReplaceAll(path, `\`, "/"), "/") {
		if name == ".." {
			return true
		}
	}
	return false
}
