//go:build !darwin

package layer

import "github.com/planlock/planlock/internal/disk"

// cloneFile is left to copying: on Linux that is copy_file_range(2), which
// shares contents where it can.
func cloneFile(*disk.File, *disk.Root, string) bool { return false }
