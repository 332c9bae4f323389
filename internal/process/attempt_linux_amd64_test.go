package process_test

const (
	renameat2      = 316
	processVMReadv = 310
	kcmp           = 312
	prlimit        = 302
	setns          = 308
	keyctl         = 250
	bpfCall        = 321
	perf           = 298
	userfaultfd    = 323
	initModule     = 175
	kexec          = 246
	nameToHandle   = 303
)
