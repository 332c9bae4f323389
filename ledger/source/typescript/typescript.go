// Package typescript reads TypeScript and JavaScript with the parser of the
// typescript package that is on the machine: a script of ours, run by node, has
// it parse what it is given and does not run that (internal/script).
//
// Names are those of the file, without its extension, and what it declares there:
// src/user.User.name. What has no name of its own is named as those name it who
// import it: default is the default export that has none, and what
// module.exports is set to.
//
// Public is what is exported: by export, by module.exports and exports where it
// is set at the top of a file, and all of a file that neither imports nor
// exports, whose declarations are everybody's. What an exported declaration names
// (the type of a parameter, a class that it extends) belongs to it. Of a class
// all is public that is neither private nor begins with #. Tests offer nothing.
//
// In TypeScript types bind: whoever changes one breaks users. Arguments are given
// by place, so that a parameter may have another name, and one more that has to be
// given is a break. In JavaScript a value may change, and what a function gives is
// not looked at.
//
// What a file does not say itself is unsaid ([source.Decl]): a type that is
// inferred from a body, a declaration of another file that is exported again, all
// that another file exports. Where that changes nobody can say what it means.
package typescript

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/internal/script"
)

// A language reads TypeScript, or JavaScript.
type language struct {
	Parser
	digest     *pinned
	javaScript bool
}

var _ source.Language = language{}

// Name is TypeScript, or JavaScript.
func (l language) Name() string {
	if l.javaScript {
		return "JavaScript"
	}
	return "TypeScript"
}

// extensions are those of the files that are read: of TypeScript, and of
// JavaScript.
var extensions = [2][]string{{".ts", ".tsx", ".mts", ".cts"}, {".js", ".jsx", ".mjs", ".cjs"}}

func (l language) extensions() []string {
	if l.javaScript {
		return extensions[1]
	}
	return extensions[0]
}

// Reads reports whether a path has an extension of the language.
func (l language) Reads(p string) bool { return slices.Contains(l.extensions(), path.Ext(p)) }

// Places are the files that a symbol may be of. A file may have points in its
// name, so a.b.C is both C in a.b and b.C in a.
func (l language) Places(symbol string) []string {
	folder, name := path.Split(symbol)
	parts := strings.Split(name, ".")
	if len(parts) < 2 || parts[len(parts)-1] == "" || folder != "" && !fs.ValidPath(strings.TrimSuffix(folder, "/")) {
		return nil
	}
	var places []string
	for n := 1; n < len(parts); n++ {
		stem := strings.Join(parts[:n], ".")
		if stem == "" {
			continue
		}
		for _, ext := range l.extensions() {
			places = append(places, source.Literally(folder+stem+ext))
			if !l.javaScript && ext != ".tsx" {
				places = append(places, source.Literally(folder+stem+".d"+ext))
			}
		}
	}
	return places
}

//go:embed *.js
var scripts embed.FS

// reader is the script, put together of its parts.
func reader() (string, error) {
	var all []byte
	for _, name := range []string{"load.js", "spell.js", "declare.js", "offer.js", "read.js"} {
		part, err := scripts.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("source: %w", err)
		}
		all = append(all, part...)
	}
	return string(all), nil
}

// start has node run the script that comes with the files.
const start = `
try {
  const parser = { path: process.argv[1], digest: process.argv[2] };
  const asked = JSON.parse(require("fs").readFileSync(0));
  process.stdout.write(JSON.stringify(new Function("asked", "require", "parser", asked.script)(asked, require, parser)));
} catch (e) {
  process.stderr.write(String(e && e.message).slice(0, 1000));
  process.exitCode = 1;
}`

// Read parses files, all at once.
func (l language) Read(ctx context.Context, files []source.Input) ([]source.File, error) {
	reader, err := reader()
	if err != nil {
		return nil, err
	}
	digest, err := l.digest.sum()
	if err != nil {
		return nil, err
	}
	args := []string{"--no-warnings", "--max-old-space-size=2048", "-e", start, "--", l.Script, digest}
	return script.Program{Path: l.Node, Args: args, Script: reader, Alone: true}.Read(ctx, files)
}
