package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/mat"
)

// applyDevice makes --device, or else BLOOM_DEVICE, the place where everything is computed. Without either it stays the
// CPU.
func applyDevice(cmd *cobra.Command, text string) error {
	name := "--device"
	if !cmd.Flags().Changed("device") {
		name, text = "BLOOM_DEVICE", os.Getenv("BLOOM_DEVICE")
	}
	kind, number, numbered := strings.Cut(text, ":")
	n, err := strconv.Atoi(number)
	switch {
	case text == "":
		return nil
	case text == "cpu":
		mat.Use(mat.CPU)
		return nil
	case text == "auto", text == "cuda", kind == "cuda" && numbered && err == nil && n >= 0:
		return useCard(n, text == "auto")
	}
	return usage(cmd, "%s is %q, want auto, cpu, cuda or cuda:1", name, text)
}

// useCard computes on card n; with auto, on the CPU where there is none.
func useCard(n int, auto bool) error {
	dev, err := cuda.Open(n)
	switch {
	case err == nil:
		mat.Use(dev)
	case auto:
		mat.Use(mat.CPU)
	default:
		return err
	}
	return nil
}
