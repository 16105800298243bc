package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"

	"github.com/bloomgml/bloom/internal/generate"
	"github.com/bloomgml/bloom/internal/ondisk"
)

// dieAt, in the environment of a worker, is a folder whose file deadly has the moment at which a worker kills itself,
// once.
const dieAt = "TEST_DIE_AT"

// The moments: before a worker connects, between its connections for control and for data, in the second round, and
// before it says that a stage is done.
var moments = []string{"start", "asked", "round", "answer"}

// TestMain lets the test be a worker, where a runner started it.
func TestMain(m *testing.M) {
	hooks.RegisterHook("die", func([]string) hooks.Hook {
		return hooks.Hook{Req: func(ctx context.Context, r *fnpb.InstructionRequest) (context.Context, error) {
			if r.GetProcessBundle() != nil {
				die("asked")
			}
			return ctx, nil
		}, Resp: func(_ context.Context, r *fnpb.InstructionRequest, _ *fnpb.InstructionResponse) error {
			if r.GetProcessBundle() != nil {
				die("answer")
			}
			return nil
		}}
	})
	if slices.ContainsFunc(os.Args, isWorker) {
		die("start")
		go dieInRound()
		exit(work())
	}
	os.Exit(m.Run())
}

// die kills this process at the moment of the file deadly, if no worker took that before.
func die(moment string) {
	dir := os.Getenv(dieAt)
	if dir == "" {
		return
	}
	path := filepath.Join(dir, "deadly")
	if now, err := os.ReadFile(path); err != nil || string(now) != moment || os.Remove(path) != nil {
		return
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill() // nobody is left to say it failed
	}
	select {}
}

// dieInRound dies when a part has come to round 2.
func dieInRound() {
	for {
		at, _ := filepath.Glob(filepath.Join(os.Getenv(dieAt), "job-*", "state-*-00002")) // the pattern is well formed
		if len(at) > 0 {
			die("round")
		}
		time.Sleep(time.Millisecond)
	}
}

// command runs one and ends the test where that fails.
func command(t *testing.T, line string, more ...string) {
	t.Helper()
	if _, err := typed(t, append(strings.Fields(line), more...)...); err != nil {
		t.Fatal(line, err)
	}
}

// sameStates compares the bytes of the states of two jobs.
func sameStates(t *testing.T, got, want string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(want, "state-*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		a, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(got, filepath.Base(name)))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from %s: %v", got, name, err)
		}
	}
}

// TestFlink wants the bits of Prism from Flink, for several parts and chunks, with a run, and where a
// worker is killed at any of the moments.
func TestFlink(t *testing.T) {
	endpoint := os.Getenv("FLINK_ENDPOINT")
	if endpoint == "" {
		t.Skip("FLINK_ENDPOINT is not set: beam/flink/run.sh starts a job server")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	src, _, err := generate.Stream("planted:nodes=200,edges=700,features=4,classes=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ondisk.Build("data", src, ondisk.Options{}); err != nil {
		t.Fatal(err)
	}
	on := []string{"--runner", "flink", "--endpoint", endpoint, "--environment_type"}
	const job = "propagate parts-%d --recipe robust --set energy.steps=6 --chunk %d --out %s"
	for _, cut := range []struct{ parts, chunk int }{{2, 6}, {5, 3}} {
		command(t, fmt.Sprintf("partition data --parts %d --out parts-%d", cut.parts, cut.parts), "--runner", "prism")
		want, got := fmt.Sprintf("prism-%d", cut.parts), fmt.Sprintf("flink-%d", cut.parts)
		command(t, fmt.Sprintf(job, cut.parts, 6, want), "--runner", "prism")
		command(t, fmt.Sprintf(job, cut.parts, cut.chunk, got), append(on, "LOOPBACK")...)
		sameStates(t, got, want)
	}
	of := trained(t, "data", "base")
	command(t, "embed "+of+" --parts parts-5 --out prism-run", "--runner", "prism")
	command(t, "embed "+of+" --parts parts-5 --chunk 2 --out flink-run", append(on, "LOOPBACK")...)
	sameStates(t, "flink-run", "prism-run")
	survive(t, dir, fmt.Sprintf(job, 5, 6, "job-%s"), on)
}

// survive runs a job once for every moment at which a worker dies, and wants the states of prism-5.
func survive(t *testing.T, dir, job string, on []string) {
	if err := hooks.EnableHook("die"); err != nil {
		t.Fatal(err)
	}
	defer hooks.DisableHook("die")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := json.Marshal(map[string]any{"command": self, "env": map[string]string{dieAt: dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, moment := range moments {
		if err := os.WriteFile("deadly", []byte(moment), 0o666); err != nil {
			t.Fatal(err)
		}
		command(t, fmt.Sprintf(job, moment), append(on, "PROCESS", "--environment_config", string(process))...)
		sameStates(t, "job-"+moment, "prism-5")
		if _, err := os.Stat("deadly"); err == nil {
			t.Errorf("%s: no worker was killed", moment)
		}
	}
}
