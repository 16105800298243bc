//go:build cuda && linux && (amd64 || arm64) && !f64

package cuda

import (
	"embed"
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

//go:embed kernels/*.ptx
var compiled embed.FS

// kernel is a function on the GPU.
type kernel uintptr

// wide is a function in three variants, for one, two and four numbers at a time; the names end in the number.
type wide [3]kernel

// kernels holds all kernels; the tag of a field is the kernel's name in a file of the folder kernels.
type kernels struct {
	Map         kernel `entry:"map"`
	Rectify     kernel `entry:"rectify"`
	Affine      kernel `entry:"affine"`
	Axpby       kernel `entry:"axpby"`
	Mul         kernel `entry:"mul"`
	MulComplex  kernel `entry:"mul_complex"`
	Expand      kernel `entry:"expand"`
	Maximum     kernel `entry:"maximum"`
	GreaterMask kernel `entry:"greater_mask"`
	Uniform     kernel `entry:"uniform"`
	Normal      kernel `entry:"normal"`
	Dropout     kernel `entry:"dropout"`
	Adam        kernel `entry:"adam"`
	AdamAll     kernel `entry:"adam_all"`
	MarkAll     kernel `entry:"mark_all"`
	Gather      kernel `entry:"gather"`
	Scatter     kernel `entry:"scatter"`
	CopyCols    kernel `entry:"copy_cols"`
	Transpose   kernel `entry:"transpose"`
	Step        kernel `entry:"step"`
	StepVJP     kernel `entry:"step_vjp"`

	SumPart        kernel `reduce:"sum_part"`
	LargestPart    kernel `reduce:"largest_part"`
	RowSum         kernel `reduce:"row_sum"`
	ColSum         kernel `reduce:"col_sum"`
	Finish         kernel `reduce:"finish"`
	Mark           kernel `reduce:"mark"`
	FirstNonFinite kernel `reduce:"first_non_finite"`
	Softmax        kernel `reduce:"softmax"`
	Cross          kernel `reduce:"cross"`
	CrossGrad      kernel `reduce:"cross_grad"`
	Norm           kernel `reduce:"norm_rows"`
	NormVJP        kernel `reduce:"norm_rows_vjp"`

	SpMM        wide   `gather:"spmm"`
	RelMM       wide   `gather:"relmm"`
	Descend     wide   `gather:"descend"`
	Back        wide   `gather:"back"`
	Positive    kernel `gather:"positive"`
	SDDMM       kernel `gather:"sddmm"`
	RelStats    kernel `gather:"rel_stats"`
	RelStatsVJP kernel `gather:"rel_stats_vjp"`

	SortCount  kernel `sort:"sort_count"`
	SortPlaces kernel `sort:"sort_places"`
	SortMove   kernel `sort:"sort_move"`
	SortFirst  kernel `sort:"sort_first"`
	SortTake   kernel `sort:"sort_take"`
	SortLong   kernel `sort:"sort_long"`

	LargeNN    kernel `gemm:"gemm_large_nn"`
	LargeTN    kernel `gemm:"gemm_large_tn"`
	LargeNT    kernel `gemm:"gemm_large_nt"`
	LargeTT    kernel `gemm:"gemm_large_tt"`
	SmallNN    kernel `gemm:"gemm_small_nn"`
	SmallTN    kernel `gemm:"gemm_small_tn"`
	SmallNT    kernel `gemm:"gemm_small_nt"`
	SmallTT    kernel `gemm:"gemm_small_tt"`
	Parts      kernel `gemm:"gemm_parts"`
	TensorNN   kernel `tensor:"tensor_nn"`
	TensorTN   kernel `tensor:"tensor_tn"`
	TensorNT   kernel `tensor:"tensor_nt"`
	TensorTT   kernel `tensor:"tensor_tt"`
	Pieces     kernel `pieces:"pieces"`
	GroupRows  kernel `gemm:"group_rows"`
	GroupInner kernel `gemm:"group_inner"`
}

// files are the names of the compiled files.
var files = [...]string{"entry", "reduce", "gather", "sort", "gemm", "tensor", "pieces"}

// load hands the compiled kernels to the driver and finds their functions.
func (k *kernels) load(d *device) {
	v := reflect.ValueOf(k).Elem()
	for _, file := range files {
		if file == "tensor" && d.major < tensorCards {
			continue
		}
		text, err := compiled.ReadFile("kernels/" + file + ".ptx")
		if err != nil {
			panic(err) // it is part of the program
		}
		var module uintptr
		text = append(text, 0)
		d.must("compiling kernels",
			call(d.library.load, uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&text[0]))))
		for i := range v.NumField() {
			name, here := v.Type().Field(i).Tag.Lookup(file)
			switch to := v.Field(i).Addr().Interface().(type) {
			case *kernel:
				if here {
					*to = d.find(module, name)
				}
			case *wide:
				for k := range to {
					if here {
						to[k] = d.find(module, fmt.Sprint(name, 1<<k))
					}
				}
			}
		}
	}
}

// find returns the kernel of the given name in a module.
func (d *device) find(module uintptr, name string) kernel {
	label, f := append([]byte(name), 0), uintptr(0)
	d.must("finding the kernel "+name,
		call(d.function, uintptr(unsafe.Pointer(&f)), module, uintptr(unsafe.Pointer(&label[0]))))
	return kernel(f)
}

// maxArgs is an upper bound on the number of arguments of a kernel.
const maxArgs = 24

// size is how many blocks are launched, and how many threads a block has.
type size struct{ x, y, z, threads, down, shared int }

// launch launches a kernel. Arguments have 8 bytes each, and the kernel reads as many arguments as it declares.
func (d *device) launch(k kernel, s size, args ...uint64) {
	for i, a := range args {
		d.values[i] = a
		d.places[i] = unsafe.Pointer(&d.values[i])
	}
	d.arranged(k, s)
}

// launchCrowd is launch of a kernel whose first argument is the table of the device.
func (d *device) launchCrowd(k kernel, s size, args ...uint64) {
	d.places[0] = unsafe.Pointer(&d.crowd)
	for i, a := range args {
		d.values[i] = a
		d.places[i+1] = unsafe.Pointer(&d.values[i])
	}
	d.arranged(k, s)
}

// arranged launches a kernel whose arguments are already in place.
func (d *device) arranged(k kernel, s size) {
	if s.x == 0 || s.y == 0 || s.z == 0 {
		return
	}
	code := d.callDirect(d.library.launch, uintptr(k), uintptr(s.x), uintptr(s.y), uintptr(s.z), uintptr(s.threads),
		uintptr(s.down), 1, uintptr(s.shared), d.here(), uintptr(unsafe.Pointer(&d.places[0])), 0)
	if code != 0 {
		d.must(fmt.Sprintf("starting a kernel of %+v", s), code)
	}
}

// each returns a launch for n numbers, a few for every thread.
func (d *device) each(n int) size {
	const threads = 256
	return size{min((n+threads-1)/threads, 64*int(d.processors)), 1, 1, threads, 1, 0}
}

// warps returns a launch with a warp for each of n rows.
func warps(n int) size { return size{(n + 7) / 8, 1, 1, 256, 1, 0} }

// p, i and f are arguments: an address, a whole number and a number.
func p(a uintptr) uint64                  { return uint64(a) }
func i[T int | int32 | int64](n T) uint64 { return uint64(int64(n)) }
func f(v float32) uint64                  { return uint64(math.Float32bits(v)) }

// b returns a bool as a kernel argument.
func b(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}
