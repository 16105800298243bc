package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// doctor is the command that describes the machine and tests the kernels on it.
type doctor struct {
	json    bool
	measure time.Duration // of each figure
	bytes   int           // of the buffer that is read, if memory allows: well beyond any cache
	checks  []check
}

func newDoctor() *doctor {
	return &doctor{measure: 200 * time.Millisecond, bytes: 512 << 20, checks: checks}
}

func (d *doctor) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Describe this machine and test the kernels on it",
		Long: `Describe this machine and test the kernels on it.

Shows the CPU and which kernels it gets, threads and memory, measures the multiply-add peak and the
read bandwidth that bound every computation, and compares each set of kernels with the portable one.
Takes about a second. Exits with 1 when a kernel gives wrong numbers.`,
		Example: `  bloom doctor
  bloom doctor --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	cmd.Flags().BoolVar(&d.json, "json", false, "print one JSON object")
	return cmd
}

// diagnosis is what doctor finds; its keys are stable. Figures that could not be had are 0 or "".
type diagnosis struct {
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
	Peak        perThreads    `json:"fma_gflops"`
	Read        perThreads    `json:"read_gbytes"`
	SelfTest    []levelResult `json:"self_test"`
	OK          bool          `json:"ok"`
}

// perThreads is a figure on one thread and on all.
type perThreads struct {
	One float64 `json:"one"`
	All float64 `json:"all"`
}

// run examines, prints and judges.
func (d *doctor) run(ctx context.Context, w io.Writer) error {
	found, err := d.examine(ctx)
	if err != nil {
		return err
	}
	if d.json {
		err = json.NewEncoder(w).Encode(found)
	} else {
		err = found.print(w, painter(w))
	}
	if err == nil && !found.OK {
		err = errors.New("self test failed: this machine computes wrong numbers, build with -tags noasm and report it")
	}
	return err
}

// examine collects the diagnosis, looking at ctx between the slow parts.
func (d *doctor) examine(ctx context.Context) (*diagnosis, error) {
	e, h := engine(), thisHost()
	found := &diagnosis{
		Version: version(), CPU: h.cpu, Cores: runtime.NumCPU(), Features: features(),
		Level: e.Active.String(), Best: e.Best.String(), RealBits: e.RealBits, Threads: e.Threads,
		MemoryBytes: h.memory, FreeBytes: h.free, HugePages: h.hugePages, OK: true,
	}
	bytes := d.bytes
	if h.free > 0 {
		bytes = int(min(uint64(bytes), h.free/4))
	}
	steps := []func(){
		func() { found.SelfTest = selfTest(d.checks) },
		func() { found.Peak.One = peakFMA(1, d.measure) },
		func() { found.Peak.All = peakFMA(e.Threads, d.measure) },
		func() { found.Read.One = readBandwidth(1, bytes, d.measure) },
		func() { found.Read.All = readBandwidth(e.Threads, bytes, d.measure) },
	}
	for _, step := range steps {
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

// print writes the diagnosis for people.
func (f *diagnosis) print(w io.Writer, p paint) error {
	rows := [][2]string{
		{"bloom", f.Version},
		{"cpu", fmt.Sprintf("%s, cores: %d", orUnknown(f.CPU), f.Cores)},
		{"features", orUnknown(strings.Join(f.Features, " "))},
		{"kernels", fmt.Sprintf("%s of up to %s, float%d", f.Level, f.Best, f.RealBits)},
		{"threads", fmt.Sprint(f.Threads)},
		{"memory", fmt.Sprintf("%s, %s free", gib(f.MemoryBytes), gib(f.FreeBytes))},
		{"huge pages", orUnknown(f.HugePages)},
		{"fma peak", f.Peak.text("GFLOP/s", f.Threads)},
		{"read", f.Read.text("GB/s", f.Threads)},
	}
	for _, r := range f.SelfTest {
		verdict := p.good("ok")
		if !r.OK {
			verdict = p.bad("FAILED") + " " + r.Error
		}
		rows = append(rows, [2]string{"self test", fmt.Sprintf("%-8s  %d kernels  %s", r.Level, r.Checks, verdict)})
	}
	var text strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&text, "%-10s  %s\n", r[0], r[1])
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (r perThreads) text(unit string, threads int) string {
	if r.One == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%.1f %s on 1 thread, %.1f on %d", r.One, unit, r.All, threads)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func gib(bytes uint64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
