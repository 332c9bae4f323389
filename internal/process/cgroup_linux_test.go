package process

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestControlGroupsAreFound(t *testing.T) {
	const (
		memory  = "33 24 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:1 - cgroup cgroup rw,memory\n"
		pids    = "34 24 0:30 / /sys/fs/cgroup/pids rw shared:2 - cgroup cgroup rw,pids\n"
		both    = "34 24 0:30 / /sys/fs/cgroup/all rw - cgroup cgroup rw,pids,memory\n"
		unified = "35 24 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid  = "35 24 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		inside  = "36 24 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	)
	tests := []struct {
		name, mounts, own string
		want              hierarchies
	}{
		{"none", "24 1 0:20 / /proc rw - proc proc rw\n", "", hierarchies{}},
		{"none is mounted", "", "4:memory:/\n0::/\n", hierarchies{}},
		{"version 1", memory + pids, "4:memory:/user/a\n3:pids:/\n",
			hierarchies{memory: "/sys/fs/cgroup/memory/user/a", pids: "/sys/fs/cgroup/pids"}},
		{"version 1, one hierarchy", both, "4:pids,memory:/x\n", hierarchies{memory: "/sys/fs/cgroup/all/x", pids: "/sys/fs/cgroup/all/x"}},
		{"version 2", unified, "0::/user.slice/a.scope\n", hierarchies{"/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup/user.slice/a.scope", true}},
		{"hybrid", memory + pids + hybrid, "4:memory:/m\n3:pids:/p\n0::/\n", hierarchies{memory: "/sys/fs/cgroup/memory/m", pids: "/sys/fs/cgroup/pids/p"}},
		{"hybrid, only systemd in version 1", hybrid + "37 1 0:9 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n", "1:name=systemd:/s\n0::/s\n",
			hierarchies{"/sys/fs/cgroup/unified/s", "/sys/fs/cgroup/unified/s", true}},
		{"container, whose group is the root of what is mounted", inside, "4:memory:/docker/abc\n",
			hierarchies{memory: "/sys/fs/cgroup/memory"}},
		{"container, of another group", inside, "4:memory:/docker/abcd\n", hierarchies{}},
		{"outside of its namespace", unified, "0::/../../x\n", hierarchies{}},
		{"broken", "x - y\n - cgroup\n36 24\n", "4\n::\n4:memory\n", hierarchies{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := findGroups(test.mounts, test.own)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(hierarchies{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
