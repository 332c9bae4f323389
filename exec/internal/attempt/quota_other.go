//go:build !unix

package attempt

import "errors"

// errQuota is never returned here.
var errQuota = errors.New("exec: quota")
