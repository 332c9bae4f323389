package process

import "os"

// tether names a program by way of the present thread, so that only a child of
// a living thread finds it.
//
// A child asks to be ended with the thread that forked it
// ([syscall.SysProcAttr.Pdeathsig]) some time after it was forked. Where the
// controller was killed before that, an ordinary child sees that it has another
// parent, and ends itself. The first process of a PID namespace cannot: it
// never sees a parent, and its signals to itself are void. It would go on, or,
// where it is to be held, stand still for ever, because it is then held by the
// process that inherited it, which knows nothing of it.
//
// Such a child looks for its program after it has asked. A dying thread first
// gives up its namespaces, and with them the folder of its network in /proc,
// and then sends the signals that its children asked for: a child that finds
// its program on this way gets the signal, and one that asked too late finds
// nothing to run. "" is where there is no such way.
func tether(program string) string {
	thread, err := os.Readlink("/proc/thread-self") // as this /proc counts: process/task/thread
	if err != nil {
		return ""
	}
	return "/proc/" + thread + "/net/stat/../../../../../.." + program
}
