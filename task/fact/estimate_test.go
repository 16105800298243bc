package fact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset/catalogue"
	"github.com/bloomgml/bloom/internal/jobs"
	"github.com/bloomgml/bloom/train"
)

// truth trains and returns the weights, what the heap holds more in the midst of it, and the seconds of an epoch.
func truth(t *testing.T, c config.Config) (weights, bytes int, seconds float64) {
	t.Helper()
	d, err := catalogue.Open(c.Data.Name) // a graph keeps what the first training on it made
	if err != nil {
		t.Fatal(err)
	}
	before := jobs.InUse()
	var first time.Duration
	r, err := Run(context.Background(), c, d, Options{Untested: true,
		Options: train.Options{Progress: func(e train.Event) {
			switch {
			case e.Epoch == 1:
				first = e.Elapsed
			case e.Epoch == c.Train.Epochs:
				seconds = (e.Elapsed - first).Seconds() / float64(e.Epoch-1)
				bytes = jobs.InUse() - before
			}
		}}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Weights, bytes, seconds
}

// TestEstimate: the estimate counts the weights of the trained model, memory is within a tenth of what training holds,
// and time, on a machine that has other things to do, within a factor of ten.
func TestEstimate(t *testing.T) {
	more := []string{"train.every=2", "model.hidden=16", "train.epochs=6"}
	for _, x := range runs {
		t.Run(x.recipe, func(t *testing.T) {
			set := append([]string{}, x.set...)
			if x.recipe == "refactor" {
				set = append(set, "train.epochs=6")
			} else {
				set = append(set, more...)
			}
			c, d := opened(t, x.recipe, "family:families=3,twin=1", set...)
			if x.recipe == "complex-bilevel" { // slow
				c.Train.Epochs, c.Model.Hidden = 3, 8
			}
			truth(t, c) // the first run in a process makes threads and their memory
			e, err := NewEstimate(context.Background(), c, d, 50*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			weights, bytes, seconds := truth(t, c)
			t.Logf("%d bytes, estimated %d; %.4g s, estimated %.4g", bytes, e.Memory[0].Bytes, seconds, e.Epoch)
			if e.Weights != weights || e.Epochs != c.Train.Epochs || e.Runs != 1 {
				t.Errorf("%d weights, %d epochs, %d runs, want %d weights", e.Weights, e.Epochs, e.Runs, weights)
			}
			if gap := float64(e.Memory[0].Bytes-bytes) / float64(bytes); math.Abs(gap) > 0.1 {
				t.Errorf("estimated %d bytes, held %d: %+.1f %%", e.Memory[0].Bytes, bytes, 100*gap)
			}
			// shorter ones are at the mercy of the scheduler
			if r := e.Epoch / seconds; seconds > 0.02 && (r > 10 || r < 0.1) {
				t.Errorf("estimated %g s an epoch, took %g", e.Epoch, seconds)
			}
		})
	}
}

// TestEstimateErrors: what cannot be trained cannot be estimated, and an estimate stops when it is told to.
func TestEstimateErrors(t *testing.T) {
	c, d := opened(t, "complex", kin)
	odd := c
	odd.Model.Hidden = 7
	var bad *train.BadSetting
	if _, err := NewEstimate(context.Background(), odd, d, 0); !errors.As(err, &bad) || bad.Key != "model.hidden" {
		t.Errorf("%v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := NewEstimate(ctx, c, d, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func ExampleNewEstimate() {
	c, err := config.Default("complex", "family:families=2")
	if err != nil {
		panic(err)
	}
	d, err := catalogue.Open("family:families=2")
	if err != nil {
		panic(err)
	}
	c.Model.Hidden = 8
	e, err := NewEstimate(context.Background(), *c, d, time.Millisecond)
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Weights == 8*(d.Graph.NumNodes()+d.Graph.NumRelations()), e.Memory[0].Bytes > 0, e.Epoch > 0)
	// Output: true true true
}
