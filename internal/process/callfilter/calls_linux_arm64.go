package callfilter

// Known says that the numbers of this architecture's system calls are known
// here.
const Known = true

// Seccomp is the number of seccomp(2).
const Seccomp = 277

// native are the calls of programs for this processor.
func native() callTable {
	return callTable{
		arch: 0xc00000b7, denied: denied64,
		clone: 220, clone3: 435, unshare: 97, ioctl: 29, socket: 198, mknodat: 33, personality: 92,
	}
}

// denied64 change the machine, reach other processes, or are seldom tested
// doors of the kernel.
var denied64 = []uint32{
	40,  // mount
	39,  // umount2
	41,  // pivot_root
	51,  // chroot
	428, // open_tree
	429, // move_mount
	430, // fsopen
	431, // fsconfig
	432, // fsmount
	433, // fspick
	442, // mount_setattr
	268, // setns
	280, // bpf
	241, // perf_event_open
	219, // keyctl
	217, // add_key
	218, // request_key
	425, // io_uring_setup
	426, // io_uring_enter
	427, // io_uring_register
	104, // kexec_load
	294, // kexec_file_load
	105, // init_module
	273, // finit_module
	106, // delete_module
	142, // reboot
	224, // swapon
	225, // swapoff
	89,  // acct
	170, // settimeofday
	112, // clock_settime
	265, // open_by_handle_at
	282, // userfaultfd
	60,  // quotactl
	443, // quotactl_fd
	116, // syslog
	58,  // vhangup
	438, // pidfd_getfd
	440, // process_madvise
	272, // kcmp
	161, // sethostname
	162, // setdomainname
	18,  // lookup_dcookie
	42,  // nfsservctl
	262, // fanotify_init
	467, // open_tree_attr
}
