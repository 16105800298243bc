//go:build !noasm

package kernel

// pause tells the CPU that this is a spin loop.
func pause()
