package report

import (
	"encoding/binary"
	"io"
	"path/filepath"

	"github.com/bloomgml/bloom"
	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/audit"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/mat"
	"github.com/bloomgml/bloom/metric"
	"github.com/bloomgml/bloom/task"
	"github.com/bloomgml/bloom/task/kinds"
	"github.com/bloomgml/bloom/task/node"
	"github.com/bloomgml/bloom/train"
)

// Run is everything about a run that pages show.
type Run struct {
	runFolder
	Trained *node.Trained
	Data    audit.Description
	Advice  node.Advice

	// Before and After are the descents with the weights as they were drawn and with the weights of the best epoch, of
	// the last level of a stack. They, and Inspection, are nil for a baseline.
	Before, After *bloom.Evidence
	Levels        []bloom.Evidence // with the weights of the best epoch, all levels from below
	Inspection    *bloom.Inspection
	// Uninspected says why a model that has an energy is not taken apart; empty otherwise.
	Uninspected string
	Audit       *node.Audit     // nil if bloom audit has not been at it
	Certified   *node.Certified // nil if bloom certify has not been at it

	folded []int32 // labelled nodes whose predictions are out of fold; nil without a cross-validation
	logits []mat.Real
	prob   []mat.Real
	values []valued // of the measured nodes if labels are numbers
	// covered is nil if no sets with guaranteed coverage can be made
	covered *coverage
}

// Open reads a run folder, opens its data, and predicts.
func Open(dir string) (*Run, error) {
	c, d, err := train.Configured(dir, "")
	if err != nil {
		return nil, err
	}
	return OpenAs(dir, *c, d, node.Options{})
}

// OpenAs works like Open for a run of c on d, whose model may be one of o.
func OpenAs(dir string, c config.Config, d *dataset.Dataset, o node.Options) (*Run, error) {
	r := &Run{runFolder: runFolder{Dir: dir}}
	err := r.read(func() (string, error) { return "", nil })
	if err != nil {
		return nil, err
	}
	if r.Trained, err = node.Load(dir, c, d, o); err != nil {
		return nil, err
	}
	r.Data = audit.Describe(d)
	p, err := r.Trained.Predict()
	if err != nil {
		return nil, err
	}
	p, r.folded = p.LeftOut()
	r.logits = p.Logits.Slice()
	if r.prob = r.logits; p.Probability != nil {
		r.prob = p.Probability.Slice()
	}
	r.compare(p)
	r.covered = r.cover(p)
	if err := r.inspect(d, o); err != nil {
		return nil, err
	}
	if r.Advice, err = r.Trained.Task.Advise(r.Inspection); err != nil {
		return nil, err
	}
	if r.Audit, err = r.Trained.KeptAudit(); err != nil {
		return nil, err
	}
	r.Certified, err = r.Trained.Certified()
	return r, err
}

// inspectLimit is the memory, in bytes, that taking predictions apart may need for the rows of edges.
const inspectLimit = 4 << 30

// inspect descends with the weights of before and after training, and takes predictions apart. d is the data as it was
// opened.
func (r *Run) inspect(d *dataset.Dataset, o node.Options) error {
	t := r.Trained
	if t.Stack == nil {
		return nil
	}
	o.Resume = true // the settings come from a run
	drawn, err := node.Build(t.Config, d, t.Trial, o)
	if err != nil {
		return err
	}
	before, err := drawn.Stack.Evidence(drawn.On)
	if err != nil {
		return err
	}
	width := max(t.Config.Model.Hidden, len(t.Data.Labels.Names))
	rows := 2 * t.On.On.Graph.NumEdges() * width * binary.Size(mat.Real(0)) // bytes, of both ends of all edges
	if rows > inspectLimit {
		r.Uninspected = "Taking the energy apart edge by edge would need " + show.Compact(float64(rows)) +
			"B of memory, which is more than a report uses by default; bloom explain does it."
	} else if r.Inspection, err = t.Task.Inspect(0); err != nil {
		return err
	}
	top := len(before) - 1
	if top == 0 && r.Inspection != nil {
		r.Levels = []bloom.Evidence{r.Inspection.Evidence}
	} else if r.Levels, err = t.Stack.Evidence(t.On); err != nil {
		return err
	}
	r.Before, r.After = &before[top], &r.Levels[top]
	return nil
}

// answers returns the predicted classes as logits, for some nodes.
func (r *Run) answers(pick []int32) metric.Predictions {
	d := r.Trained.Data
	k := len(d.Labels.Names)
	z := make([]mat.Real, len(r.logits))
	for v := range int32(len(z) / k) {
		z[int(v)*k+int(r.class(v))] = 1
	}
	return metric.Predictions{Logits: z, Classes: k, Labels: d.Labels.Class, Pick: pick}
}

// row returns the probabilities of the classes of a node.
func (r *Run) row(v int32) []mat.Real {
	c := len(r.Trained.Data.Labels.Names)
	return r.prob[int(v)*c : (int(v)+1)*c]
}

// measure returns a metric of the predictions for some nodes.
func (r *Run) measure(name string, nodes []int32) float64 {
	return r.Trained.Score(name, r.logits, nodes)
}

// class returns the predicted class of a node; 0, as its label, if nodes have no class.
func (r *Run) class(v int32) int32 {
	if !r.ofClasses() {
		return 0
	}
	k := len(r.Trained.Data.Labels.Names)
	return r.Trained.Answer(r.logits[int(v)*k : int(v+1)*k])
}

// className returns the name of a class; a dash for −1, which is not known.
func (r *Run) className(c int32) string {
	if c < 0 || !r.ofClasses() {
		return "–"
	}
	return r.Trained.Data.Labels.Names[c]
}

// name returns the name of node v, with its type if there are several.
func (r *Run) name(v int32) string {
	return r.Trained.Data.NodeName(v)
}

// OpenRun opens a run folder, whatever it is about. open is called for the config and the data if the page needs them.
func OpenRun(dir string, k task.Kind, open func() (*config.Config, *dataset.Dataset, error)) (Opened, error) {
	if _, ok := k.(node.Kind); !ok {
		return OpenPlain(dir, k)
	}
	c, d, err := open()
	if err != nil {
		return nil, err
	}
	return OpenAs(dir, *c, d, node.Options{})
}

// Write makes the page of a run folder and stores it there as report.html. A page that was there is replaced when the
// new one is complete.
func Write(dir string) error {
	c, err := config.Load(config.Options{File: filepath.Join(dir, "config.yaml")})
	if err != nil {
		return err
	}
	return WriteAs(dir, *c)
}

// WriteAs is Write for a folder whose config was read already.
func WriteAs(dir string, c config.Config) error {
	r, err := OpenRun(dir, kinds.Of(&c), func() (*config.Config, *dataset.Dataset, error) {
		d, err := train.OpenData(dir, &c, "")
		return &c, d, err
	})
	if err != nil {
		return err
	}
	return Store(filepath.Join(dir, "report.html"), func(w io.Writer) error { return r.Page(w, Options{}) })
}

// Store writes a page to a file, all of it or nothing. In a run folder it keeps its checksum too.
func Store(path string, page func(io.Writer) error) error {
	return files.Write(path, files.WriteOptions{}, page)
}
