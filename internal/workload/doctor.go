package workload

import (
	"context"
	"runtime"
	"time"

	"github.com/bloomgml/bloom/internal/host"
	"github.com/bloomgml/bloom/internal/kernel"
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
