//go:build !amd64 || noasm

package kernel

// pause would tell the CPU that this is a spin loop.
func pause() {}
