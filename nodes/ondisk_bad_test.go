package nodes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomgml/bloom/internal/blocks"
	"github.com/bloomgml/bloom/internal/fileerr"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/nodes"
	"github.com/bloomgml/bloom/run"
)

// TestLazy wants an epoch that begins where the one before ended to come to the certificate in fewer sweeps.
func TestLazy(t *testing.T) {
	_, s := stored(t, "csbm:nodes=3000,features=2,degree=5")
	c := configOf(t, "robust", "csbm", "model.hidden=4", "model.input_dropout=0", "model.dropout=0")
	g, d := relaxed(t, s, c, relax.Options{})
	task, err := nodes.Build(c, d, run.Trial{}, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
	if err != nil {
		t.Fatal(err)
	}
	loop, err := run.NewLoop(c.Train, task.Job())
	if err != nil {
		t.Fatal(err)
	}
	var adjoint []relax.Certificate
	for range 3 {
		if err := loop.Step(); err != nil {
			t.Fatal(err)
		}
		adjoint = append(adjoint, g.Adjoint)
	}
	if first, last := adjoint[0], adjoint[2]; last.Sweeps >= first.Sweeps || last.Residual > 3e-5 {
		t.Errorf("%+v", adjoint)
	}
}

// TestBad wants clear errors for what cannot be, before training begins or in the middle of it.
func TestBad(t *testing.T) {
	_, s := stored(t, "csbm:nodes=300,features=3")
	c := configOf(t, "robust", "csbm")
	for want, set := range map[string][]string{
		"recipe":             {"heterophily"},
		"model.norm":         {"robust", "model.norm=batch"},
		"model.drop_nodes":   {"robust", "model.drop_nodes=0.5"},
		"train.class_weight": {"robust", "train.class_weight=balanced"},
		"such as base":       {"momentum"},
	} {
		_, err := nodes.NewDisk(configOf(t, set[0], "csbm", set[1:]...), s.Columns, s.Classes)
		var bad *run.BadSetting
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", set, err)
		}
	}
	g, d := relaxed(t, s, c, relax.Options{Memory: 1 << 20})
	task, err := nodes.Build(c, d, run.Trial{}, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Job().Batch(1, 0); err == nil || !strings.Contains(err.Error(), "need at least") {
		t.Errorf("a megabyte: %v", err)
	}
	if task, err = nodes.Build(c, d, run.Trial{}, nodes.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := task.Job().Batch(1, 0); err == nil || !strings.Contains(err.Error(), "not opened") {
		t.Errorf("without its graph: %v", err)
	}
}

// TestChanged wants an error with the place where a block is damaged while it trains, and where the context ends.
func TestChanged(t *testing.T) {
	_, s := stored(t, "csbm:nodes=300,features=3")
	c := configOf(t, "robust", "csbm")
	g, d := relaxed(t, s, c, relax.Options{})
	task, err := nodes.Build(c, d, run.Trial{}, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Job().Batch(1, 0); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Dir(), "adjacency.bin")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[500] ^= 1
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	var at *fileerr.Error
	if err := task.Job().Batch(2, 0); !errors.As(err, &at) || !strings.Contains(err.Error(), "checksum of block 0") {
		t.Errorf("a damaged block: %v", err)
	}
	if _, err := blocks.Open(filepath.Join(s.Dir(), "none")); err == nil {
		t.Error("no folder")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g.Context = ctx
	if err := task.Job().Batch(2, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("it was stopped: %v", err)
	}
}
