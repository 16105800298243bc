package workload

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/cuda"
	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kernel"
	"github.com/bloomgml/bloom/mat"
)

// DoctorOptions say how much is measured.
type DoctorOptions struct {
	Time   time.Duration // of each figure; 0 means 200 ms
	Bytes  int           // of the buffer that is read, if memory allows; 0 means 512 MiB, well beyond any cache
	Checks []Check       // nil means all
}

// Diagnosis is the result of Examine; its keys are stable. Figures that are not available are 0 or "".
type Diagnosis struct {
	Version     string        `json:"version"`
	CPU         string        `json:"cpu"`
	Cores       int           `json:"cores"`
	Features    []string      `json:"features"`
	Level       string        `json:"level"`      // kernels in use
	Best        string        `json:"best_level"` // best kernels that this build has for this CPU
	RealBits    int           `json:"real_bits"`
	Threads     int           `json:"threads"`
	MemoryBytes uint64        `json:"memory_bytes"`
	FreeBytes   uint64        `json:"memory_free_bytes"`
	HugePages   string        `json:"huge_pages"`
	Peak        PerThreads    `json:"fma_gflops"`
	Read        PerThreads    `json:"read_gbytes"`
	SelfTest    []LevelResult `json:"self_test"`
	Card        Card          `json:"card"`
	OK          bool          `json:"ok"`
}

// PerThreads is a figure on one thread and on all.
type PerThreads struct {
	One float64 `json:"one"`
	All float64 `json:"all"`
}

// Examine collects the diagnosis, looking at ctx between the slow parts. The version is the caller's to add.
func Examine(ctx context.Context, o DoctorOptions) (*Diagnosis, error) {
	if o.Time == 0 {
		o.Time = 200 * time.Millisecond
	}
	if o.Bytes == 0 {
		o.Bytes = 512 << 20
	}
	if o.Checks == nil {
		o.Checks = checks
	}
	h := host.This()
	found := &Diagnosis{
		CPU: h.CPU, Cores: runtime.NumCPU(), Features: host.Features(),
		Level: kernel.Active().String(), Best: kernel.Best().String(), RealBits: 8 * kernel.RealBytes,
		Threads: kernel.Threads(), MemoryBytes: h.Memory, FreeBytes: h.Free, HugePages: h.HugePages,
	}
	if h.Free > 0 {
		o.Bytes = int(min(uint64(o.Bytes), h.Free/4))
	}
	read := func(threads int) float64 { return kernel.ReadBandwidth(threads, o.Bytes, o.Time) / 1e9 }
	for _, step := range []func(){
		func() { found.SelfTest = selfTest(o.Checks) },
		func() { found.Peak.One = kernel.PeakFMA(1, o.Time) }, // GFLOP/s, two operations a multiply-add
		func() { found.Peak.All = kernel.PeakFMA(found.Threads, o.Time) },
		func() { found.Read.One = read(1) }, // GB/s, in sequence
		func() { found.Read.All = read(found.Threads) },
		func() { found.Card, found.OK = examineCard(o) },
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step()
	}
	for _, r := range found.SelfTest {
		found.OK = found.OK && r.OK
	}
	return found, ctx.Err()
}

// Card is the first GPU of the machine: its figures, or why it has none.
type Card struct {
	Name        string  `json:"name"`
	MemoryBytes uint64  `json:"memory_bytes"`
	FreeBytes   uint64  `json:"memory_free_bytes"`
	Product     float64 `json:"product_gflops"` // of dense matrices
	Copy        float64 `json:"copy_gbytes"`    // read and written
	Error       string  `json:"error"`
}

// examineCard opens the GPU, compares it with the CPU and measures it. It reports whether numbers are right: a machine
// without a GPU has no wrong ones.
func examineCard(o DoctorOptions) (c Card, right bool) {
	dev, err := cuda.Open(0)
	if err != nil {
		return Card{Error: err.Error()}, true
	}
	defer mat.Use(mat.Default())
	defer func() {
		if e, is := recover().(*cuda.Error); is {
			c.Error, right = e.Error(), true
		}
	}()
	c.Name = fmt.Sprint(dev)
	if m, ok := dev.(interface{ Memory() (free, total uint64) }); ok {
		c.FreeBytes, c.MemoryBytes = m.Memory()
	}
	if c.Error = compare(dev); c.Error != "" {
		return c, false
	}
	mat.Use(dev)
	c.measure(dev, o.Time)
	return c, true
}

// measure is the rates of a large product and of a copy well beyond any cache.
func (c *Card) measure(dev mat.Device, span time.Duration) {
	const n, long = 4096, 64 << 20
	x, y, z := mat.New(n, n), mat.New(n, n), mat.New(n, n)
	mat.Uniform(x, -1, 1, 1)
	mat.Uniform(y, -1, 1, 2)
	c.Product = 2 * n * n * n / 1e9 / seconds(dev, span, func() { mat.MatMul(z, x, y, mat.NN, 1, 0) })
	a, b := mat.New(long, 1), mat.New(long, 1)
	c.Copy = 2 * float64(a.Bytes()) / 1e9 / seconds(dev, span, func() { mat.Copy(b, a) })
	for _, m := range [...]*mat.Dense{x, y, z, a, b} {
		m.Free()
	}
}

// seconds returns the duration of f, repeated for about span after a first call.
func seconds(dev mat.Device, span time.Duration, f func()) float64 {
	f()
	dev.Sync()
	start, calls := time.Now(), 0
	for calls == 0 || time.Since(start) < span {
		for range 10 {
			f()
		}
		dev.Sync()
		calls += 10
	}
	return time.Since(start).Seconds() / float64(calls)
}

// compare returns "" if dev gives the numbers of the CPU, up to rounding.
func compare(dev mat.Device) string {
	for name, run := range deviceChecks {
		mat.Use(mat.CPU)
		want := run()
		mat.Use(dev)
		for i, v := range run() {
			if e := math.Abs(float64(v - want[i])); !(e <= 1e-4*(1+math.Abs(float64(want[i])))) {
				return fmt.Sprintf("%s: number %d is %v, and %v on the CPU", name, i, v, want[i])
			}
		}
	}
	return ""
}

// deviceChecks compute something small on the default device, always the same numbers.
var deviceChecks = map[string]func() []mat.Real{
	"product": func() []mat.Real {
		z := mat.New(100, 70)
		mat.MatMul(z, device(1, 100, 50), device(2, 50, 70), mat.NN, 1, 0)
		return z.Slice()
	},
	"softmax": func() []mat.Real {
		x := device(3, 60, 40)
		mat.Softmax(x, x, false)
		return x.Slice()
	},
	"sums": func() []mat.Real {
		z := mat.New(1, 30)
		mat.SumRows(z, device(4, 500, 30))
		return z.Slice()
	},
	"sparse product": func() []mat.Real {
		const n = 90
		ptr, idx := make([]int64, n+1), make([]int32, 0, 2*n)
		for i := range n {
			idx = append(idx, int32((i+1)%n), int32((i*7)%n))
			ptr[i+1] = int64(len(idx))
		}
		s, err := mat.NewSparse(n, n, ptr, idx)
		must(err)
		z := mat.New(n, 20)
		mat.SpMM(z, s, false, nil, device(5, n, 20), 1, 0)
		return z.Slice()
	},
}

// device returns a matrix of always the same numbers on the default device.
func device(seed uint64, r, c int) *mat.Dense { return mat.FromSlice(r, c, numbers(seed, r*c)) }
