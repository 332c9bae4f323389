package process_test

const (
	renameat2      = 276
	processVMReadv = 270
	kcmp           = 272
	prlimit        = 261
	setns          = 268
	keyctl         = 219
	bpfCall        = 280
	perf           = 241
	userfaultfd    = 282
	initModule     = 105
	kexec          = 104
	nameToHandle   = 264
)
