package callfilter

// Known says that the numbers of this architecture's system calls are known
// here.
const Known = true

// Seccomp is the number of seccomp(2).
const Seccomp = 317

// native are the calls of programs for this processor. Numbers from limit on are
// those of x32.
func native() callTable {
	return callTable{
		arch: 0xc000003e, limit: 0x40000000, denied: denied64,
		clone: 56, clone3: 435, unshare: 272, ioctl: 16, socket: 41, mknod: 133, mknodat: 259, personality: 135,
	}
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
