package decode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
)

// Strange says what is wrong with a key that is not one of names.
func Strange(key string, names []string) (code, message, hint string) {
	for _, name := range names {
		if strings.EqualFold(name, key) {
			return "key-case", fmt.Sprintf("%q is spelled %q", key, name), "keys are spelled exactly so: " + name
		}
	}
	hint = "known here: " + strings.Join(names, ", ")
	if now, ok := otherNames[key]; ok && slices.Contains(names, now) {
		hint = fmt.Sprintf("write %q", now)
	} else if near := spelling.Nearest(key, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return "key-unknown", fmt.Sprintf("the key %q is not known here", key), hint
}

// otherNames are names that plans for other tools use, and what they are called
// here.
var otherNames = map[string]string{
	"primary_method": "prompt", "method": "prompt", "action": "description", "critical": "critical_flag", "name": "title",
	"purpose": "description", "dependencies": "depends_on", "backup_1": "backups", "backup_2": "backups", "backup_methods": "backups",
}
