//go:build !unix

package exec

import "errors"

// errQuota is never returned here.
var errQuota = errors.New("exec: quota")
