package disk

import "syscall"

// boot is made anew by the kernel each time it starts.
func boot() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
