//go:build !cuda || !linux || !(amd64 || arm64) || f64

package cuda

import (
	"errors"
	"os"

	"github.com/bloomgml/bloom/mat"
)

// Open returns an error: this program was built without the tag cuda.
func Open(int) (mat.Device, error) {
	if present() {
		return nil, errors.New("there is an NVIDIA GPU, but this program was built without CUDA: " +
			"build it with go build -tags cuda ./cmd/bloom, or use --device cpu")
	}
	return nil, errors.New("this program was built without CUDA, and this machine shows no NVIDIA GPU: " +
		"use --device cpu")
}

// present reports whether the machine has an NVIDIA driver, whether or not this program can use it.
func present() bool {
	_, err := os.Stat("/proc/driver/nvidia/version")
	return err == nil
}
