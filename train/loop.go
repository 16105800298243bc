package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/descent"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/optim"
)

// Loop takes a job through its epochs.
type Loop struct {
	Best Record // of the epoch that validation has chosen so far

	job     Job
	config  config.Train
	opt     *optim.Optimizer
	best    *bestWeights
	numbers []*ad.Param  // what makes up the model in memory: parameters, then state
	values  []*mat.Dense // theirs, when they are looked at
	flag    *mat.Dense   // which gradient is the first that is not finite; 0 for none
	watched bool         // training can make a step too long
	ended   error        // why training was over before its time; nil if it was not
	progress
}

// progress is how far a loop has come: together with weights and optimiser state, all that a checkpoint holds.
type progress struct {
	epoch, batch int     // epochs that are done, and batches of the next
	sum          float64 // of the losses of these batches
	loss         float64 // the mean over the batches of the last epoch
	improved     int     // the epoch in which the validation metric last rose
	logged       int     // the last epoch that was logged
	planned      int     // how many epochs there were to be when it began, or went on
	history      []Record
}

// NewLoop prepares to train j as c says. The error is a *BadSetting.
func NewLoop(c config.Train, j Job) (*Loop, error) {
	l := &Loop{job: j, config: c, flag: mat.New(1, 1), Best: Record{Scores: Scores{Valid: worst(j.Metric())}}}
	l.config.Every = max(1, c.Every)
	l.numbers = append(append(l.numbers, j.Params()...), j.State()...)
	l.best = newBest(l.numbers)
	l.loss, l.planned = math.NaN(), c.Epochs
	o := optim.Config{Rule: c.Optimizer, Rate: c.Rate, Schedule: c.Schedule, Warmup: c.Warmup,
		Decay: c.WeightDecay, Momentum: c.Momentum, Clip: c.Clip}
	var rows *mat.Index
	if p, ok := j.(Partial); ok {
		rows = p.Rows()
	}
	var err error
	if l.opt, err = optim.New(o, j.Params(), rows); err != nil {
		return nil, err
	}
	l.history = make([]Record, 0, min(l.Epochs(), 1<<16)+2)
	return l, nil
}

// Epochs returns the number of epochs: 0 if there is nothing to train.
func (l *Loop) Epochs() int {
	if b, ok := l.job.(Boosting); len(l.job.Params()) == 0 && !(ok && b.Boosts()) {
		return 0
	}
	return l.config.Epochs
}

// Epoch returns how many epochs are done.
func (l *Loop) Epoch() int { return l.epoch }

// Done reports whether training is over: all epochs, patience, or weights that steps are too long for.
func (l *Loop) Done() bool {
	return l.ended != nil || l.epoch >= l.Epochs() || l.config.Patience > 0 && l.epoch-l.improved >= l.config.Patience
}

// due reports whether the present epoch is one that is evaluated: every Every-th and the last, and if steps can become
// too long also all before the first of these, so that training that ends there has an epoch to keep.
func (l *Loop) due() bool {
	return l.epoch%l.config.Every == 0 || l.epoch >= l.Epochs() || l.watched && l.epoch < l.config.Every
}

// Step trains on one batch: loss, gradients, update. The error is a *NotFinite for NaN or Inf, or the job's
// own; nothing is changed then.
func (l *Loop) Step() error {
	epoch, batches := l.epoch+1, l.job.Batches()
	if err := l.job.Batch(epoch, l.batch); err != nil {
		return err
	}
	loss := float64(l.job.Loss().Item())
	if err := l.finite(epoch, loss); err != nil {
		return err
	}
	l.opt.Step(l.job.Grads(), l.rate())
	l.sum += loss
	if l.batch++; l.batch == batches {
		l.loss, l.epoch, l.batch, l.sum = l.sum/float64(batches), epoch, 0, 0
	}
	return nil
}

// certify ends training if the weights of the last epoch have made a step too long.
func (l *Loop) certify() (err error) {
	j, ok := l.job.(certified)
	if !ok {
		return nil
	}
	l.watched, err = j.Certify()
	return l.end(err)
}

// end ends training because of err, a *descent.StepTooLong, if there is an epoch to keep; it returns all other
// errors.
func (l *Loop) end(err error) error {
	var long *descent.StepTooLong
	if !errors.As(err, &long) {
		return err
	}
	if l.epoch == 0 {
		return err
	}
	kept := "There is no earlier epoch to keep"
	if !l.best.empty() {
		kept = fmt.Sprintf("Epoch %d is the result", l.Best.Epoch)
	}
	err = fmt.Errorf("training stopped after epoch %d, whose parameters need shorter steps than "+
		"energy.descent.gamma=%.4g: at most %.4g is certified not to raise the energy. %s; "+
		"energy.descent.gamma=safe adapts to the parameters", l.epoch, long.Gamma, long.Limit, kept)
	if l.best.empty() {
		return err
	}
	l.ended = err
	return nil
}

// rate returns the learning rate of the next batch.
func (l *Loop) rate() float64 {
	return l.opt.RateAt(float64(l.epoch)+float64(l.batch)/float64(l.job.Batches()), l.config.Epochs)
}

// finiteWeights returns a *NotFinite if an update up to epoch has left NaN or Inf in a weight or in the state. What is
// computed with such weights shows it too: this is for the last ones, with which nothing more is computed.
func (l *Loop) finiteWeights(epoch int) error {
	l.values = l.values[:0]
	for _, p := range l.numbers {
		l.values = append(l.values, p.Value())
	}
	mat.MarkAll(l.flag, l.values)
	if i := int(l.flag.Item()) - 1; i >= 0 {
		p := l.numbers[i]
		return &NotFinite{Epoch: epoch, What: "the weight " + p.Name, Err: p.Value().CheckFinite()}
	}
	return nil
}

// isFinite reports whether v is neither NaN nor infinite.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// finite returns a *NotFinite for a loss that is not finite, or in the last batch of an epoch for a gradient that has
// one: what a gradient before that spoils shows in the next loss.
func (l *Loop) finite(epoch int, loss float64) error {
	if !isFinite(loss) {
		return &NotFinite{Epoch: epoch, What: "the loss", Err: l.job.Loss().CheckFinite()}
	}
	if l.batch+1 < l.job.Batches() {
		return nil
	}
	mat.MarkAll(l.flag, l.job.Grads())
	if i := int(l.flag.Item()) - 1; i >= 0 {
		err := l.job.Grads()[i].CheckFinite()
		return &NotFinite{Epoch: epoch, What: "the gradient of " + l.job.Params()[i].Name, Err: err}
	}
	return nil
}

// Evaluate measures the current weights, and keeps them if they are the best so far.
func (l *Loop) Evaluate(ctx context.Context) (Record, error) {
	s, err := l.job.Measure(ctx)
	if err != nil {
		return Record{}, err
	}
	for _, x := range []struct {
		what  string
		value float64
	}{{"the training metric", s.Train}, {"the validation metric", s.Valid}, {"the test metric", s.Test},
		{"ℓ_low before the descent", s.Start}, {"ℓ_low after the descent", s.End}} {
		if math.IsInf(x.value, 0) {
			return Record{}, &NotFinite{Epoch: l.epoch, What: x.what}
		}
	}
	r := l.record(s)
	l.choose(r)
	return r, nil
}

// record returns the present epoch with some scores.
func (l *Loop) record(s Scores) Record {
	rate := l.opt.RateAt(max(0, float64(l.epoch-1)), l.config.Epochs)
	return Record{Epoch: l.epoch, Loss: l.loss, Rate: rate, Scores: s}
}

// choose keeps the weights of r if its validation metric is the best so far or equals it: the later epoch wins a tie.
// Without validation every epoch is better than the one before.
func (l *Loop) choose(r Record) {
	name := l.job.Metric()
	if better(name, r.Valid, l.Best.Valid) || math.IsNaN(r.Valid) {
		l.improved = r.Epoch
	}
	if !better(name, l.Best.Valid, r.Valid) {
		l.Best = r
		l.best.keep()
	}
}

// checkpoint returns all that changes. Everything random is a function of seed, epoch and batch.
func (l *Loop) checkpoint(of map[string]string, seconds *float64) checkpoint {
	s := map[string]any{"epoch": &l.epoch, "batch": &l.batch, "sum": &l.sum, "improved": &l.improved,
		"logged": &l.logged, "loss": &l.loss, "planned": &l.planned, "steps": &l.opt.Steps, "seconds": seconds}
	for _, p := range l.numbers {
		s["now/"+p.Name] = p.Value()
	}
	for name, x := range l.best.memory() {
		s[name] = x
	}
	for name, x := range l.opt.Memory() {
		s[name] = x
	}
	return checkpoint{Of: of, State: s, History: &l.history, Best: &l.Best}
}

// bestWeights is a copy of the weights of the best epoch so far.
type bestWeights struct {
	params []*ad.Param
	copies []*mat.Dense
	kept   bool
}

// newBest allocates a copy of params, zeros until keep.
func newBest(params []*ad.Param) *bestWeights {
	b := &bestWeights{params: params}
	for _, p := range params {
		b.copies = append(b.copies, mat.New(p.Rows(), p.Cols()))
	}
	return b
}

// keep copies the current weights.
func (b *bestWeights) keep() {
	b.kept = true
	for i, p := range b.params {
		mat.Copy(b.copies[i], p.Value())
	}
}

// restore brings the copy back.
func (b *bestWeights) restore() {
	for i, p := range b.params {
		mat.Copy(p.Value(), b.copies[i])
	}
}

// memory returns the copies by name: the matrices themselves, which keep overwrites.
func (b *bestWeights) memory() map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for i, p := range b.params {
		all["best/"+p.Name] = b.copies[i]
	}
	return all
}

// empty reports whether nothing was kept yet.
func (b *bestWeights) empty() bool { return !b.kept }
