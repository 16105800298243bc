package run_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/safetensors"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/run"
)

// parabola is a job of one's own: w goes down on (w − 3)². Every epoch is one batch.
type parabola struct {
	*run.Pass
	w *ad.Param
}

func newParabola() *parabola {
	w := ad.NewParam("w", mat.Scalar(0))
	loss := func(input.Context) (ad.Var, error) { return w.Shift(-3).Square(), nil }
	pass, err := run.NewPass(nil, 1, []*ad.Param{w}, loss)
	check(err)
	return &parabola{pass, w}
}

func (p *parabola) Params() []*ad.Param { return []*ad.Param{p.w} }
func (p *parabola) State() []*ad.Param  { return nil }
func (p *parabola) Batches() int        { return 1 }
func (p *parabola) Batch(epoch, _ int) error {
	return p.Run(epoch, uint64(epoch))
}
func (p *parabola) Metric() string { return "height" }

func (p *parabola) Measure(context.Context) (run.Scores, error) {
	height := -math.Pow(float64(p.w.Value().Item())-3, 2)
	return run.Scores{Train: height, Valid: height, Test: height, Start: math.NaN(), End: math.NaN()}, nil
}

func (p *parabola) Finish(_ context.Context, best run.Record) (valid, test float64, err error) {
	return best.Valid, best.Test, nil
}

func (p *parabola) Write(w io.Writer, epoch int) error {
	return run.WriteWeights(w, map[string]string{"epoch": fmt.Sprint(epoch)}, p.Params())
}

func (p *parabola) WritePredictions(w io.Writer) error {
	_, err := fmt.Fprintf(w, "w\n%g\n", p.w.Value().Item())
	return err
}

func (p *parabola) Describe(r *run.Result) { r.Data = "nothing" }
func (p *parabola) Card(r *run.Result) run.Card {
	return run.Card{Task: "minimise", About: "A parabola."}
}

// A job of one's own has a run like any other: it is trained and kept in a folder.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)
	c := config.Config{Recipe: "parabola", Train: config.Train{Epochs: 40, Rate: 0.2, Optimizer: "sgd"}}
	build := func(run.Trial) (run.Job, error) { return newParabola(), nil }
	r, err := run.Run(context.Background(), c, []run.Trial{{Seed: 1}}, build,
		run.Options{Dir: filepath.Join(dir, "mine")})
	check(err)
	again := newParabola()
	path := run.ModelFile(r.Run)
	f, err := safetensors.ReadFile(path)
	check(err)
	check(run.ReadWeights(path, f, again.Params()))
	check(run.WriteWeights(io.Discard, nil, again.Params()))
	fmt.Printf("%.4f %s %.4f\n", -r.Test.Mean, r.Metric, again.w.Value().Item())
	// Output: 0.0000 height 3.0000
}

// The loop can be gone through by hand, and what a run costs is known beforehand.
func ExampleNewLoop() {
	c := config.Train{Epochs: 2, Rate: 0.5, Optimizer: "sgd"}
	l, err := run.NewLoop(c, newParabola())
	check(err)
	for !l.Done() {
		check(l.Step())
		r, err := l.Evaluate(context.Background())
		check(err)
		fmt.Println(r.Epoch, r.Loss, r.Valid)
	}
	build := func() (run.Job, error) { return newParabola(), nil }
	e, err := run.NewEstimate(context.Background(), config.Config{Train: c}, build,
		time.Millisecond)
	check(err)
	fmt.Println(e.Weights, "weight,", e.Epochs, "epochs,", e.Seconds() > 0)
	// Output:
	// 1 9 -0
	// 2 0 -0
	// 1 weight, 2 epochs, true
}

// A run folder names its data.
func ExampleConfigured() {
	_, _, err := run.Configured("no-such-folder", "")
	fmt.Println(err != nil)
	// Output: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A model that comes of another run has a folder too.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)
	c := config.Config{Recipe: "parabola"}
	write := func(w io.Writer) error { return newParabola().Write(w, 0) }
	files := map[string]func(io.Writer) error{"model.safetensors": write}
	fmt.Println(run.Save(filepath.Join(dir, "mine"), c, nil, files))
	// Output: <nil>
}
