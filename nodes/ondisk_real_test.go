package nodes_test

import (
	"context"
	"math"
	"testing"

	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/relax"
	"github.com/bloomgml/bloom/nodes"
)

// TestAccuracy trains robust on a published set in both ways: with the whole graph in memory, many steps and the
// implicit adjoint, and with states relaxed on the disk. After six epochs accuracy grows by points an epoch, so that
// states which are off by a certificate of 1e-5 may differ by some of the thousand test nodes.
func TestAccuracy(t *testing.T) {
	for _, name := range []string{"cora"} {
		d, err := catalogue.Find(name).Load()
		if err != nil {
			t.Skip(err)
		}
		c := configOf(t, "robust", "csbm", "model.input_dropout=0", "model.dropout=0", "train.epochs=6",
			"train.patience=0", "train.every=6", "model.adjoint=implicit", "energy.steps=200")
		whole, err := nodes.Run(context.Background(), c, d, nodes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, rows := relaxed(t, inBlocks(t, d, 500), c, relax.Options{})
		disk, err := nodes.Run(context.Background(), c, rows, nodes.Options{Disk: nodes.OnDiskOf(g, nil)})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.4f in memory (%.1f s), %.4f from the disk (%.1f s), %v", name, whole.Test.Mean, whole.Seconds,
			disk.Test.Mean, disk.Seconds, disk.Relaxed)
		if math.Abs(whole.Test.Mean-disk.Test.Mean) > 0.01 || disk.Relaxed["states"] > 1e-3 {
			t.Errorf("%s: %.4f in memory, %.4f from the disk, %v", name, whole.Test.Mean, disk.Test.Mean, disk.Relaxed)
		}
	}
}
