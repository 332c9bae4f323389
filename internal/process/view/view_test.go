package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process/view"
)

func TestOptionsEscapePaths(t *testing.T) {
	v := &layer.View{At: "/ws", Lowers: []string{"/s/a:b", "/w,s"}, Upper: `/s/u\p`, Work: "/s/work"}
	for trusted, want := range map[bool]string{
		true: `index=off,metacopy=off,xino=off,redirect_dir=on,volatile,` +
			`lowerdir=/s/a\:b:/w\,s,upperdir=/s/u\\p,workdir=/s/work`,
		false: `userxattr,index=off,metacopy=off,xino=off,volatile,` +
			`lowerdir=/s/a\:b:/w\,s,upperdir=/s/u\\p,workdir=/s/work`,
	} {
		v.Trusted = trusted
		if got, err := view.Options(v); got != want || err != nil {
			t.Errorf("%v: %s, %v", trusted, got, err)
		}
	}
	v.Work = "/" + strings.Repeat(":", 2000) // each is two bytes
	if _, err := view.Options(v); err == nil {
		t.Error("more than a page of options")
	}
}

func TestBelowFindsTheOutermost(t *testing.T) {
	const mounts = `22 1 254:0 / / rw - ext4 /dev/vda rw
23 22 0:5 / /ws rw shared:1 - tmpfs none rw
24 22 0:6 / /ws/a\040b\134 rw - tmpfs none rw
25 24 0:7 / /ws/a\040b\134/deep rw - tmpfs none rw
26 22 0:8 / /ws-other rw - tmpfs none rw
27 22 0:9 / /ws/z\999 rw - tmpfs none rw
short line
`
	if diff := cmp.Diff([]string{`/ws/a b\`, `/ws/z\999`}, view.Below(mounts, "/ws")); diff != "" {
		t.Error(diff)
	}
}
