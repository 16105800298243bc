//go:build cuda && linux

// Command gen compiles the kernels of package cuda to PTX with NVRTC, the compiler library of CUDA, which any machine
// can have, with a GPU or without:
//
//	go run -tags cuda ./cuda/gen -nvrtc .../libnvrtc.so.12 cuda/kernels
//
// Next to every NAME.cu it writes NAME.ptx, whose first line holds the hash of what it was made from. The PTX is what
// the library's release writes: take 12.2, whose PTX every driver from 535 on reads.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	library := flag.String("nvrtc", "libnvrtc.so.12", "the compiler library")
	arch := flag.String("arch", "compute_70", "the lowest compute capability to compile for, unless a kernel names one")
	flag.Parse()
	if err := run(*library, *arch, flag.Arg(0)); err != nil {
		log.Fatal("gen: ", err)
	}
}

// run compiles the kernels of a folder.
func run(library, arch, folder string) error {
	c, err := openCompiler(library)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.cu"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no kernels in %q: %v", folder, err)
	}
	for _, file := range files {
		text, hash, err := readSource(os.DirFS(folder), filepath.Base(file))
		if err != nil {
			return err
		}
		ptx, err := c.compile(filepath.Base(file), text, "--gpu-architecture="+least(text, arch), "--std=c++17")
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		out := strings.TrimSuffix(file, ".cu") + ".ptx"
		if err := os.WriteFile(out, []byte(header(hash)+plain(ptx)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// least is the least GPU that a kernel needs: what its first line says, or arch.
func least(text, arch string) string {
	first, _, _ := strings.Cut(text, "\n")
	if own, says := strings.CutPrefix(first, "// arch "); says {
		return own
	}
	return arch
}

// plain is PTX without comments and blank lines, which are about the compiler.
func plain(ptx string) string {
	var b strings.Builder
	for line := range strings.Lines(ptx) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
