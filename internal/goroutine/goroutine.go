// Package goroutine tells goroutines apart, for what belongs to one of them while a function runs.
package goroutine

import (
	"bytes"
	"runtime"
)

// ID is the number of this goroutine, as a stack trace has it. It takes about a microsecond.
func ID() string {
	var b [40]byte
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("["))
	return string(first)
}
