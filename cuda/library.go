//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library holds the addresses of the driver functions in use.
type library struct {
	init, version, count, get, name, total, attribute uintptr
	retain, release, setCurrent                       uintptr
	alloc, free, info, hostAlloc                      uintptr
	toDevice, toHost, copy, fill                      uintptr
	newStream, sync, begin, end                       uintptr
	instantiate, replay, dropGraph, dropExec          uintptr
	load, function, launch, limit, errorName          uintptr
}

// symbols returns where the address of each function is stored, by name. A driver that lacks one of them is too old.
func (l *library) symbols() map[string]*uintptr {
	return map[string]*uintptr{
		"cuInit": &l.init, "cuDriverGetVersion": &l.version, "cuDeviceGetCount": &l.count, "cuDeviceGet": &l.get,
		"cuDeviceGetName": &l.name, "cuDeviceTotalMem_v2": &l.total, "cuDeviceGetAttribute": &l.attribute,
		"cuDevicePrimaryCtxRetain": &l.retain, "cuDevicePrimaryCtxRelease_v2": &l.release,
		"cuCtxSetCurrent": &l.setCurrent,
		"cuMemAlloc_v2":   &l.alloc, "cuMemFree_v2": &l.free, "cuMemGetInfo_v2": &l.info,
		"cuMemHostAlloc":       &l.hostAlloc,
		"cuMemcpyHtoDAsync_v2": &l.toDevice, "cuMemcpyDtoHAsync_v2": &l.toHost, "cuMemcpyDtoDAsync_v2": &l.copy,
		"cuMemsetD32Async": &l.fill, "cuStreamCreate": &l.newStream, "cuStreamSynchronize": &l.sync,
		"cuStreamBeginCapture_v2": &l.begin, "cuStreamEndCapture": &l.end,
		"cuGraphInstantiateWithFlags": &l.instantiate, "cuGraphLaunch": &l.replay,
		"cuGraphDestroy": &l.dropGraph, "cuGraphExecDestroy": &l.dropExec,
		"cuModuleLoadData": &l.load, "cuModuleGetFunction": &l.function, "cuFuncSetAttribute": &l.limit,
		"cuLaunchKernel": &l.launch, "cuGetErrorName": &l.errorName,
	}
}

// oldest is the first release of CUDA whose drivers read the PTX of the kernels.
const oldest = 12020

// loaded is the driver, opened once for the life of the program.
var loaded = sync.OnceValues(func() (*library, error) { return openLibrary("libcuda.so.1") })

// openLibrary loads the driver, which may be missing, too old or without a GPU.
func openLibrary(path string) (*library, error) {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("cuda: there is no NVIDIA driver on this machine: %s (%v)", newer, err)
	}
	l := &library{}
	for name, at := range l.symbols() {
		if *at, err = purego.Dlsym(lib, name); err != nil {
			return nil, fmt.Errorf("cuda: the NVIDIA driver is too old: %s (%v)", newer, err)
		}
	}
	if err := l.check("starting the driver", call(l.init, 0)); err != nil {
		return nil, err
	}
	var version int32
	call(l.version, uintptr(unsafe.Pointer(&version)))
	if version < oldest {
		return nil, fmt.Errorf("cuda: the NVIDIA driver is too old, for CUDA %d.%d: %s",
			version/1000, version%1000/10, newer)
	}
	return l, nil
}

// call calls a C function that returns a code. Memory that the arguments point to is not moved during the call.
//
//go:uintptrescapes
func call(f uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(f, args...)
	return uintptr(uint32(r))
}

// nameOf returns the name of a code, as the driver knows it.
func (l *library) nameOf(code uintptr) string {
	var text *byte
	if call(l.errorName, code, uintptr(unsafe.Pointer(&text))) != 0 || text == nil {
		return "an unknown error"
	}
	s := unsafe.String(text, 64)
	s, _, _ = strings.Cut(s, "\x00")
	return strings.Clone(s)
}

// must panics with an *Error if a call returned an error code.
func (l *library) must(doing string, code uintptr) {
	if err := l.check(doing, code); err != nil {
		panic(err)
	}
}

// check returns nil or an *Error.
func (l *library) check(doing string, code uintptr) error {
	if code == 0 {
		return nil
	}
	return &Error{doing, int(code), l.nameOf(code)}
}
