package process

import (
	"fmt"
	"os"
	osexec "os/exec"
	"sync"
	"syscall"
	"unsafe"
)

const groupTree = jobTree

// groupReason says why a tree is not held better.
const groupReason = ""

// limitsFiles and limitsProcesses say that there are such limits on this
// system.
const limitsFiles, limitsProcesses = false, true

var (
	kernel32         = syscall.NewLazyDLL("kernel32.dll")
	ntdll            = syscall.NewLazyDLL("ntdll.dll")
	createJobObject  = kernel32.NewProc("CreateJobObjectW")
	setJobObject     = kernel32.NewProc("SetInformationJobObject")
	assignToJob      = kernel32.NewProc("AssignProcessToJobObject")
	terminateJob     = kernel32.NewProc("TerminateJobObject")
	resumeProcess    = ntdll.NewProc("NtResumeProcess")
	createSuspended  = uint32(0x4)
	createNewGroup   = uint32(0x200)
	processAccess    = uint32(0x1 | 0x100 | 0x800) // terminate, set quota, suspend and resume
	extendedLimits   = uintptr(9)
	killOnClose      = uint32(0x2000)
	limitProcessTime = uint32(0x2)
	limitMemory      = uint32(0x100)
	limitActive      = uint32(0x8)
)

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type jobLimits struct {
	processTime, jobTime           int64
	flags                          uint32
	minWorkingSet, maxWorkingSet   uintptr
	activeProcesses                uint32
	affinity                       uintptr
	priority, scheduling           uint32
	io                             [6]uint64
	processMemory, jobMemory       uintptr
	peakProcessMemory, peakJobSize uintptr
}

// launch starts cmd suspended, puts it into a job that ends with this process,
// lets it go, and ends the job when cmd has ended.
func launch(cmd *osexec.Cmd, box confinement, started func(tree)) error {
	j, err := newJob(box)
	if err != nil {
		return err
	}
	defer j.close()
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createSuspended | createNewGroup}
	if len(cmd.Args) == 5 && cmd.Args[3] == "/C" { // the command interpreter takes its line as it is
		cmd.SysProcAttr.CmdLine = fmt.Sprintf(`"%s" /D /S /C "%s"`, cmd.Args[0], cmd.Args[4])
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	started(j)
	if err := j.take(cmd.Process.Pid); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return err
	}
	err = cmd.Wait()
	j.kill()
	if cmd.ProcessState == nil {
		return err
	}
	return nil
}

// A job holds a process and all that it starts.
type job struct {
	mu     sync.Mutex
	handle uintptr // 0: closed
}

// newJob makes the job that a command starts in: all of its processes end with
// the job, and the job with this process.
func newJob(box confinement) (*job, error) {
	handle, _, err := createJobObject.Call(0, 0)
	if handle == 0 {
		return nil, fmt.Errorf("job object: %w", err)
	}
	j := &job{handle: handle}
	limits := jobLimits{flags: killOnClose}
	if box.CPU > 0 {
		limits.flags |= limitProcessTime
		limits.processTime = box.CPU.Nanoseconds() / 100
	}
	if box.Memory > 0 {
		limits.flags |= limitMemory
		limits.processMemory = uintptr(box.Memory)
	}
	if n := box.processes(); n > 0 {
		limits.flags |= limitActive
		limits.activeProcesses = uint32(n)
	}
	ok, _, err := setJobObject.Call(handle, extendedLimits, uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
	if ok == 0 {
		j.close()
		return nil, fmt.Errorf("limits of the job object: %w", err)
	}
	return j, nil
}

// take puts a suspended process into the job and lets it run.
func (j *job) take(pid int) error {
	process, err := syscall.OpenProcess(processAccess, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open the process: %w", err)
	}
	defer syscall.CloseHandle(process)
	if ok, _, err := assignToJob.Call(j.handle, uintptr(process)); ok == 0 {
		return fmt.Errorf("put the process into its job object: %w", err)
	}
	if status, _, _ := resumeProcess.Call(uintptr(process)); status != 0 {
		return fmt.Errorf("resume the process: status %#x", status)
	}
	return nil
}

// terminate ends the job: there is no polite way that reaches every program.
func (j *job) terminate() { j.kill() }

// kill ends all processes of the job. It does nothing once the job is closed.
func (j *job) kill() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		terminateJob.Call(j.handle, 1)
	}
}

func (j *job) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	syscall.CloseHandle(syscall.Handle(j.handle))
	j.handle = 0
}

// exhausted says nothing: no signal tells which quota was used up here.
func (confinement) exhausted(*os.ProcessState, int) *LimitError { return nil }

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
