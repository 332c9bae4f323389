package document

import (
	pathpkg "path"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// deployed says whether what was built is there as something that can be
// installed or started: made by a step in such a form, or seen by a check that
// builds, installs or starts it. It is nil where nothing looked for that. made
// is whether what the plan makes is there, built whether such checks hold, and not without the work.
func deployed(p *plan.Plan, made, built *bool) *bool {
	if slices.ContainsFunc(p.FinalChecks(), func(c plan.FinalCheck) bool { return deploys(&c.Check) }) {
		return built
	}
	for _, s := range p.Steps() {
		if s.Artifacts != nil && slices.ContainsFunc(s.Artifacts.Declared().Create, deployable) {
			return made
		}
	}
	return nil
}

// deploys reports whether a check can only hold where what was built can be
// installed or started.
func deploys(c *plan.Check) bool {
	if c.Kind == "go_build" || c.Kind == "file_exists" && deployable(c.Path) {
		return true
	}
	if c.Kind != "command" {
		return false
	}
	for part := range strings.FieldsFuncSeq(c.Run, func(r rune) bool { return strings.ContainsRune("\n;|&", r) }) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t()'\"", r) })
		if len(words) == 0 || slices.Contains(readers, words[0]) {
			continue
		}
		if strings.HasPrefix(words[0], "./") || interprets(words) || slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(deployVerbs, w) ||
				strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://") ||
				deployable(w)
		}) {
			return true
		}
	}
	return false
}

// interprets reports whether a command starts a program that needs an
// interpreter, from a file in the workspace that is no test.
func interprets(words []string) bool {
	return len(words) > 1 && slices.Contains(interpreters, words[0]) && pathpkg.Ext(words[1]) != "" &&
		!strings.HasPrefix(words[1], "-") && !strings.HasPrefix(words[1], "/") && !strings.Contains(words[1], "test")
}

// deployable reports whether a path in the workspace is one of a program or
// package that can be installed: by its end, or as it lies in a folder for those.
func deployable(name string) bool {
	if strings.HasPrefix(name, "/") {
		return false
	}
	folders, _ := pathpkg.Split(name)
	return slices.Contains(deployEnds, strings.ToLower(pathpkg.Ext(name))) ||
		slices.ContainsFunc(strings.Split(folders, "/"), func(f string) bool {
			return slices.Contains(deployFolders, f)
		})
}

var (
	// readers are programs that look at text.
	readers       = []string{"grep", "rg", "cat", "echo", "printf", "sed", "awk", "head", "tail", "diff", "wc"}
	interpreters  = []string{"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "bash", "sh"}
	deployVerbs   = []string{"build", "install", "pack", "package", "publish", "start", "serve", "deploy"}
	deployFolders = []string{"bin", "dist", "release"}
	deployEnds    = []string{".exe", ".app", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".appimage", ".apk", ".ipa", ".whl",
		".jar", ".war", ".tgz", ".zip", ".gem", ".crate", ".snap", ".flatpak"}
)
