package callfilter

// Known says that the numbers of this architecture's system calls are known
// here.
const Known = true

// Seccomp is the number of seccomp(2).
const Seccomp = 317

// calls are those of programs for this processor, and of programs for its
// 32-bit ancestor. The latter can make sockets by a call whose arguments lie in
// memory, which no filter sees: they are not let through where there is to be
// no network.
func calls(noNetwork bool) []callTable {
	native := callTable{
		arch: 0xc000003e, limit: 0x40000000, denied: denied64,
		clone: 56, clone3: 435, unshare: 272, ioctl: 16, socket: 41, mknod: 133, mknodat: 259, personality: 135,
	}
	old := callTable{
		arch: 0x40000003, denied: denied32,
		clone: 120, clone3: 435, unshare: 310, ioctl: 54, socket: 359, mknod: 14, mknodat: 297, personality: 136,
	}
	if noNetwork {
		return []callTable{native}
	}
	return []callTable{native, old}
}

// denied64 change the machine, reach other processes, or are seldom tested
// doors of the kernel.
var denied64 = []uint32{
	165, // mount
	166, // umount2
	155, // pivot_root
	161, // chroot
	428, // open_tree
	429, // move_mount
	430, // fsopen
	431, // fsconfig
	432, // fsmount
	433, // fspick
	442, // mount_setattr
	308, // setns
	321, // bpf
	298, // perf_event_open
	250, // keyctl
	248, // add_key
	249, // request_key
	425, // io_uring_setup
	426, // io_uring_enter
	427, // io_uring_register
	246, // kexec_load
	320, // kexec_file_load
	175, // init_module
	313, // finit_module
	176, // delete_module
	169, // reboot
	167, // swapon
	168, // swapoff
	163, // acct
	164, // settimeofday
	227, // clock_settime
	304, // open_by_handle_at
	323, // userfaultfd
	179, // quotactl
	443, // quotactl_fd
	103, // syslog
	153, // vhangup
	438, // pidfd_getfd
	440, // process_madvise
	312, // kcmp
	173, // ioperm
	172, // iopl
	170, // sethostname
	171, // setdomainname
	212, // lookup_dcookie
	180, // nfsservctl
	134, // uselib
	300, // fanotify_init
	467, // open_tree_attr
}

// denied32 are the same calls by the numbers of 32-bit programs.
var denied32 = []uint32{
	21,  // mount
	22,  // umount
	52,  // umount2
	217, // pivot_root
	61,  // chroot
	428, // open_tree
	429, // move_mount
	430, // fsopen
	431, // fsconfig
	432, // fsmount
	433, // fspick
	442, // mount_setattr
	346, // setns
	357, // bpf
	336, // perf_event_open
	288, // keyctl
	286, // add_key
	287, // request_key
	425, // io_uring_setup
	426, // io_uring_enter
	427, // io_uring_register
	283, // kexec_load
	128, // init_module
	350, // finit_module
	129, // delete_module
	88,  // reboot
	87,  // swapon
	115, // swapoff
	51,  // acct
	79,  // settimeofday
	264, // clock_settime
	404, // clock_settime64
	25,  // stime
	342, // open_by_handle_at
	374, // userfaultfd
	131, // quotactl
	443, // quotactl_fd
	103, // syslog
	111, // vhangup
	438, // pidfd_getfd
	440, // process_madvise
	349, // kcmp
	101, // ioperm
	110, // iopl
	74,  // sethostname
	121, // setdomainname
	253, // lookup_dcookie
	169, // nfsservctl
	86,  // uselib
	166, // vm86
	113, // vm86old
	338, // fanotify_init
	467, // open_tree_attr
}
