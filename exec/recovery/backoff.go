package recovery

import "time"

// longest is the delay that is never exceeded where nothing else is said.
const longest = time.Minute
