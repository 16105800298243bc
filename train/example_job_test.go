package train_test

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
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/train"
)

// parabola is a job of one's own: w goes down on (w − 3)². Every epoch is one batch.
type parabola struct {
	*train.Pass
	w *ad.Param
}

func newParabola() *parabola {
	w := ad.NewParam("w", mat.Scalar(0))
	loss := func(input.Context) (ad.Var, error) { return w.Shift(-3).Square(), nil }
	pass, err := train.NewPass(nil, 1, []*ad.Param{w}, loss)
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

func (p *parabola) Measure(context.Context) (train.Scores, error) {
	height := -math.Pow(float64(p.w.Value().Item())-3, 2)
	return train.Scores{Train: height, Valid: height, Test: height, Start: math.NaN(), End: math.NaN()}, nil
}

func (p *parabola) Finish(_ context.Context, best train.Record) (valid, test float64, err error) {
	return best.Valid, best.Test, nil
}

func (p *parabola) Write(w io.Writer, epoch int) error {
	return train.WriteWeights(w, map[string]string{"epoch": fmt.Sprint(epoch)}, p.Params())
}

func (p *parabola) WritePredictions(w io.Writer) error {
	_, err := fmt.Fprintf(w, "w\n%g\n", p.w.Value().Item())
	return err
}

func (p *parabola) Describe(r *train.Result) { r.Data = "nothing" }
func (p *parabola) Card(r *train.Result) train.Card {
	return train.Card{Task: "minimise", About: "A parabola."}
}

// A job of one's own has a run like any other: it is trained and kept in a folder.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "run")
	check(err)
	defer os.RemoveAll(dir)
	c := config.Config{Recipe: "parabola", Train: config.Train{Epochs: 40, Rate: 0.2, Optimizer: "sgd"}}
	build := func(train.Trial) (train.Job, error) { return newParabola(), nil }
	r, err := train.Run(context.Background(), c, []train.Trial{{Seed: 1}}, build,
		train.Options{Dir: filepath.Join(dir, "mine")})
	check(err)
	again := newParabola()
	f, err := train.ReadWeights(r.Run)
	check(err)
	check(f.Set(again.Params()))
	check(train.WriteWeights(io.Discard, nil, again.Params()))
	fmt.Printf("%.4f %s %.4f, %s\n", -r.Test.Mean, r.Metric, again.w.Value().Item(),
		filepath.Base(train.ModelFile(r.Run)))
	// Output: 0.0000 height 3.0000, model.safetensors
}

// The loop can be gone through by hand, and what a run costs is known beforehand.
func ExampleNewLoop() {
	c := config.Train{Epochs: 2, Rate: 0.5, Optimizer: "sgd"}
	l, err := train.NewLoop(c, newParabola())
	check(err)
	for !l.Done() {
		check(l.Step())
		r, err := l.Evaluate(context.Background())
		check(err)
		fmt.Println(r.Epoch, r.Loss, r.Valid)
	}
	build := func() (train.Job, error) { return newParabola(), nil }
	e, err := train.NewEstimate(context.Background(), config.Config{Train: c}, build,
		time.Millisecond)
	check(err)
	fmt.Println(e.Weights, "weight,", e.Epochs, "epochs,", e.Seconds() >= 0)
	// Output:
	// 1 9 -0
	// 2 0 -0
	// 1 weight, 2 epochs, true
}

// A run folder names its data.
func ExampleConfigured() {
	_, _, err := train.Configured("no-such-folder", "")
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
	fmt.Println(train.Save(filepath.Join(dir, "mine"), c, nil, files))
	// Output: <nil>
}
