package acp

import _ "github.com/coder/acp-go-sdk"
