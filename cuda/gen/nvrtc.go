//go:build cuda && linux

package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// compiler is the functions of NVRTC that are needed.
type compiler struct {
	create, run, destroy, logSize, log, ptxSize, ptx uintptr
}

func openCompiler(library string) (*compiler, error) {
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	c := &compiler{}
	for name, at := range map[string]*uintptr{
		"nvrtcCreateProgram": &c.create, "nvrtcCompileProgram": &c.run, "nvrtcDestroyProgram": &c.destroy,
		"nvrtcGetProgramLogSize": &c.logSize, "nvrtcGetProgramLog": &c.log,
		"nvrtcGetPTXSize": &c.ptxSize, "nvrtcGetPTX": &c.ptx,
	} {
		if *at, err = purego.Dlsym(lib, name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// compile is text as PTX. The error is what the compiler says.
func (c *compiler) compile(name, text string, options ...string) (string, error) {
	var program uintptr
	code, label := append([]byte(text), 0), append([]byte(name), 0)
	if r, _, _ := purego.SyscallN(c.create, uintptr(unsafe.Pointer(&program)), uintptr(unsafe.Pointer(&code[0])),
		uintptr(unsafe.Pointer(&label[0])), 0, 0, 0); r != 0 {
		return "", fmt.Errorf("nvrtcCreateProgram gives %d", r)
	}
	defer purego.SyscallN(c.destroy, uintptr(unsafe.Pointer(&program)))
	list := make([]*byte, len(options))
	var pins runtime.Pinner
	defer pins.Unpin()
	for i, o := range options {
		b := append([]byte(o), 0)
		pins.Pin(&b[0])
		list[i] = &b[0]
	}
	r, _, _ := purego.SyscallN(c.run, program, uintptr(len(list)), uintptr(unsafe.Pointer(&list[0])))
	if r != 0 {
		return "", errors.New(c.text(c.logSize, c.log, program))
	}
	return c.text(c.ptxSize, c.ptx, program), nil
}

// text is what a pair of functions, for size and content, tells of a program.
func (c *compiler) text(size, content, program uintptr) string {
	var n uint64
	purego.SyscallN(size, program, uintptr(unsafe.Pointer(&n)))
	b := make([]byte, n+1)
	purego.SyscallN(content, program, uintptr(unsafe.Pointer(&b[0])))
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}
