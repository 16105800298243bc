//go:build !linux

package host

import "unsafe"

func advise(unsafe.Pointer, uintptr) {}
