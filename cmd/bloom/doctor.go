package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bloomgml/bloom/internal/command"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/internal/workload"
	"github.com/spf13/cobra"
)

func newDoctor(o workload.DoctorOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Describe this machine and test the kernels on it",
		Long: `Describe this machine and test the kernels on it.

Shows the CPU and the kernels chosen for it, threads and memory, measures peak multiply-add throughput and
read bandwidth, and compares each set of kernels with the portable one. An NVIDIA GPU, if the program was built
for it, is compared and measured too; otherwise the reason is given. Takes about a second. Exits with 1 if a
kernel gives wrong results.`,
		Example: `  bloom doctor
  bloom doctor --json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := workload.Examine(cmd.Context(), o)
			if err != nil {
				return err
			}
			found.Version = version()
			err = printFound(cmd, asJSON, found, func(w io.Writer, p show.Paint) { printDiagnosis(w, p, found) })
			if err == nil && !found.OK {
				err = errors.New("self test failed: this machine computes wrong results, build with -tags noasm " +
					"and report it")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printDiagnosis(w io.Writer, p show.Paint, f *workload.Diagnosis) {
	rows := [][2]string{
		{"bloom", f.Version},
		{"cpu", fmt.Sprintf("%s, cores: %d", cmp.Or(f.CPU, unknown), f.Cores)},
		{"features", cmp.Or(strings.Join(f.Features, " "), unknown)},
		{"kernels", fmt.Sprintf("%s of up to %s, float%d", f.Level, f.Best, f.RealBits)},
		{"threads", fmt.Sprint(f.Threads)},
		{"memory", fmt.Sprintf("%s, %s free", gib(f.MemoryBytes), gib(f.FreeBytes))},
		{"huge pages", cmp.Or(f.HugePages, unknown)},
		{"fma peak", figures(f.Peak, "GFLOP/s", f.Threads)},
		{"read", figures(f.Read, "GB/s", f.Threads)},
	}
	c := f.Card
	card := fmt.Sprintf("%s, %s, %s free, products %.0f GFLOP/s, copies %.0f GB/s", c.Name, gib(c.MemoryBytes),
		gib(c.FreeBytes), c.Product, c.Copy)
	if c.Error != "" {
		card = strings.TrimSpace(c.Name + " not used: " + c.Error)
	}
	rows = append(rows, [2]string{"GPU", card})
	for _, r := range f.SelfTest {
		verdict := p.Good("ok")
		if !r.OK {
			verdict = p.Bad("FAILED") + " " + r.Error
		}
		rows = append(rows, [2]string{"self test", fmt.Sprintf("%-8s  %d kernels  %s", r.Level, r.Checks, verdict)})
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%-10s  %s\n", r[0], r[1])
	}
}

// figures returns a figure on one thread and on all.
func figures(r workload.PerThreads, unit string, threads int) string {
	if r.One == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%.1f %s on 1 thread, %.1f on %d", r.One, unit, r.All, threads)
}

// unknown stands for values that the system does not report.
const unknown = "unknown"

func gib(bytes uint64) string {
	if bytes == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}
