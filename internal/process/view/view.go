// Package view says how a [layer.View] is mounted, and mounts it in a child
// that is held before its program begins.
package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/layer"
)

// longest is what the kernel takes of options: a page, with its end.
const longest = 4095

// escapes are the letters that part options and folders from each other.
var escapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `:`, `\:`)

// means are the options of an overlay that name no folder. One that is not
// trusted keeps its notes in attributes that every user may set, and cannot
// rename folders that lie below it.
//
// All that a kernel may have another default for is said. The file system of
// the upper folder is not written out with the mount: what is kept of a layer
// is made durable where it is delivered.
func means(v *layer.View) string {
	if v.Trusted {
		return "index=off,metacopy=off,xino=off,redirect_dir=on,volatile"
	}
	return "userxattr,index=off,metacopy=off,xino=off,volatile"
}

// Options are those of the mount of an overlay.
func Options(v *layer.View) (string, error) {
	lowers := make([]string, len(v.Lowers))
	for i, path := range v.Lowers {
		lowers[i] = escapes.Replace(path)
	}
	text := means(v) + ",lowerdir=" + strings.Join(lowers, ":") +
		",upperdir=" + escapes.Replace(v.Upper) + ",workdir=" + escapes.Replace(v.Work)
	if len(text) > longest {
		return "", fmt.Errorf("the paths of its %d folders are longer than the %d bytes that the system takes",
			len(v.Lowers)+2, longest)
	}
	return text, nil
}

// Check says what is wrong with a view, or nothing.
func Check(v *layer.View) error {
	paths := append([]string{v.At, v.From, v.Upper, v.Work}, v.Lowers...)
	for i, path := range paths {
		if path == "" && i > 0 {
			continue
		}
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.ContainsRune(path, 0) {
			return fmt.Errorf("the path %q is not absolute and in its shortest form", path)
		}
	}
	switch {
	case filepath.Dir(v.At) == v.At:
		return fmt.Errorf("%q is the whole file system", v.At)
	case v.From != "":
		return nil
	case len(v.Lowers) == 0 || v.Upper == "" || v.Work == "":
		return fmt.Errorf("it names neither a folder to show nor all folders of an overlay")
	}
	for _, path := range []string{v.Upper, v.Work} {
		for _, lower := range v.Lowers {
			if Within(lower, path) {
				return fmt.Errorf("%q, which is to hold what commands write, lies inside of %q", path, lower)
			}
		}
	}
	return nil
}

// Own are the folders of a view that commands must not reach by their own
// paths: those that the view itself does not cover.
func Own(v *layer.View) []string {
	if v.From != "" {
		return nil
	}
	var paths []string
	for _, path := range append([]string{v.Upper, v.Work}, v.Lowers...) {
		if !Within(v.At, path) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Below are the outermost places below at where something is mounted, of a list
// that is spelled as /proc/self/mountinfo.
func Below(mounts, at string) []string {
	var points []string
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		if point := unescape(fields[4]); point != at && Within(at, point) {
			points = append(points, point)
		}
	}
	slices.Sort(points)
	var outermost []string
	for _, point := range points {
		if n := len(outermost); n == 0 || !Within(outermost[n-1], point) {
			outermost = append(outermost, point)
		}
	}
	return outermost
}

// unescape replaces the octal numbers of bytes that would end a field.
func unescape(field string) string {
	if !strings.Contains(field, `\`) {
		return field
	}
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			n, ok := 0, true
			for _, digit := range []byte(field[i+1 : i+4]) {
				n, ok = n*8+int(digit-'0'), ok && digit >= '0' && digit <= '7'
			}
			if ok && n < 256 {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// Within reports whether path is folder or lies below it.
func Within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}
