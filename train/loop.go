package train

import (
	"math"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/upper"
)

// Record is what is known about an epoch that was evaluated. Numbers that were not asked for, or are of no nodes, are NaN.
type Record struct {
	Epoch              int     // how many are done
	Loss               float64 // of the pass of this epoch, before its update, with dropout
	Rate               float64 // of its update
	Train, Valid, Test float64 // the metric, after the update, without dropout
	Start, End         float64 // ℓ_low at H⁽⁰⁾ and at H⁽ᴸ⁾
}

// loop trains one network.
type loop struct {
	task    *Task
	numbers []*ad.Param // what makes up the network: parameters, then state
	clock   *ad.Clock

	pass    *ad.Program // loss, gradients, running statistics
	loss    ad.Var
	grads   []*mat.Dense // where pass leaves them
	updates *input.Updates
	opt     *optimizer

	look       *ad.Program // logits in evaluation mode, and energies
	logits     ad.Var
	start, end ad.Var // 1×1; absent where energies were not asked for
	score      scorer

	progress
}

// progress is how far a loop has come: together with weights and moments, all that a checkpoint holds.
type progress struct {
	epoch    int
	last     float64 // the loss of the last pass
	best     Record
	improved int          // the epoch in which the validation metric last rose
	kept     []*mat.Dense // parameters, then state, of the best epoch
	history  []Record
}

// newLoop compiles the programs of a task.
func newLoop(t *Task, energies bool) (*loop, error) {
	l := &loop{task: t, clock: &ad.Clock{Seed: mat.Mix(t.Trial.Seed, hash("dropout"))}}
	l.numbers = append(append(l.numbers, t.Network.Params()...), t.Network.State()...)
	l.best = Record{Valid: math.Inf(-1)}
	l.last = math.NaN()
	l.opt = newOptimizer(t.Config.Train, t.Network.Params())
	if err := l.compilePass(); err != nil {
		return nil, err
	}
	if err := l.compileLook(energies); err != nil {
		return nil, err
	}
	for _, p := range l.numbers {
		l.kept = append(l.kept, mat.New(p.Rows(), p.Cols()))
	}
	l.history = make([]Record, 0, l.epochs()/t.Config.Train.Every+2)
	return l, nil
}

// epochs is how many there are: none where there is nothing to train.
func (l *loop) epochs() int {
	if len(l.opt.slots) == 0 {
		return 0
	}
	return l.task.Config.Train.Epochs
}

func (l *loop) compilePass() error {
	if l.epochs() == 0 {
		return nil
	}
	ctx := input.Training(l.clock)
	z, err := l.task.Network.Logits(ctx)
	if err != nil {
		return err
	}
	y := upper.Target{Class: l.task.labels, Pick: l.task.pick}
	l.loss, l.updates = l.task.Config.Train.Loss.Of(z, y), ctx.Updates
	if a, ok := l.task.Network.(assisting); ok {
		if more, err := a.assist(ctx); err != nil {
			return err
		} else if !more.IsZero() {
			l.loss = l.loss.Add(more)
		}
	}
	var params []ad.Var
	for _, s := range l.opt.slots {
		params = append(params, s.param.Var)
	}
	grads := ad.Grad(l.loss, params...)
	l.pass = ad.Compile(append(append([]ad.Var{l.loss}, grads...), l.updates.Outputs()...)...)
	for _, g := range grads {
		l.grads = append(l.grads, l.pass.Value(g))
	}
	return nil
}

func (l *loop) compileLook(energies bool) (err error) {
	t := l.task
	if l.logits, err = t.Network.Logits(input.Evaluation()); err != nil {
		return err
	}
	outputs := []ad.Var{l.logits}
	if b, ok := t.Network.(bilevel); ok && energies {
		if l.start, l.end, err = b.energies(); err != nil {
			return err
		}
		outputs = append(outputs, l.start, l.end)
	}
	l.look = ad.Compile(outputs...)
	l.score = newScorer(t)
	return nil
}

// done reports whether training is over: all epochs, or patience.
func (l *loop) done() bool {
	patience := l.task.Config.Train.Patience
	return l.epoch >= l.epochs() || patience > 0 && l.epoch-l.improved >= patience
}

// due reports whether the present epoch is one that is evaluated.
func (l *loop) due() bool { return l.epoch%l.task.Config.Train.Every == 0 || l.epoch >= l.epochs() }

// step is one epoch: loss, gradients, update. The error is a *NotFinite; nothing is changed then.
func (l *loop) step() error {
	epoch := l.epoch + 1
	l.clock.Epoch = uint64(epoch)
	if l.task.sample != nil {
		if err := l.task.sample.draw(epoch); err != nil {
			return err
		}
	}
	if err := l.pass.Run(); err != nil {
		return &NotFinite{Epoch: epoch, What: "a step of the descent", Err: err}
	}
	if err := l.finite(epoch); err != nil {
		return err
	}
	l.opt.step(l.grads, rateAt(l.task.Config.Train, l.epoch), epoch)
	l.updates.Apply(l.pass)
	l.last, l.epoch = float64(l.pass.Value(l.loss).Item()), epoch
	return nil
}

// finite returns a *NotFinite for a loss or gradient that is not.
func (l *loop) finite(epoch int) error {
	if err := l.pass.Value(l.loss).CheckFinite(); err != nil {
		return &NotFinite{Epoch: epoch, What: "the loss", Err: err}
	}
	for i, g := range l.grads {
		if err := g.CheckFinite(); err != nil {
			return &NotFinite{Epoch: epoch, What: "the gradient of " + l.opt.slots[i].param.Name, Err: err}
		}
	}
	return nil
}

// evaluate takes the metrics of the present weights, and keeps these if they are the best so far.
func (l *loop) evaluate() (Record, error) {
	if l.task.sample != nil {
		l.task.sample.all()
	}
	if err := l.look.Run(); err != nil {
		return Record{}, &NotFinite{Epoch: l.epoch, What: "a step of the descent, in evaluation,", Err: err}
	}
	l.look.Value(l.logits).Read(l.score.of.Logits)
	s := l.task.Split
	r := Record{Epoch: l.epoch, Loss: l.last, Rate: rateAt(l.task.Config.Train, max(0, l.epoch-1)), Start: math.NaN(), End: math.NaN(),
		Train: l.score.over(s.Train), Valid: l.score.over(s.Valid), Test: l.score.over(s.Test)}
	if !l.start.IsZero() {
		r.Start, r.End = float64(l.look.Value(l.start).Item()), float64(l.look.Value(l.end).Item())
	}
	l.choose(r)
	l.history = append(l.history, r)
	return r, nil
}

// choose keeps the weights of r where its validation metric is the best so far or equals it: the later epoch wins a tie. Without
// validation nodes every epoch is better than the one before.
func (l *loop) choose(r Record) {
	if r.Valid > l.best.Valid || math.IsNaN(r.Valid) {
		l.improved = r.Epoch
	}
	if r.Valid >= l.best.Valid || math.IsNaN(r.Valid) {
		l.best = r
		for i, p := range l.numbers {
			mat.Copy(l.kept[i], p.Value())
		}
	}
}

// restore makes the weights of the best epoch those of the network.
func (l *loop) restore() {
	for i, p := range l.numbers {
		mat.Copy(p.Value(), l.kept[i])
	}
	if l.task.sample != nil {
		l.task.sample.all()
	}
}
