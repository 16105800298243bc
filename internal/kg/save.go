package kg

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/energy"
	"github.com/bloomgml/bloom/graph"
	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/mat"
)

// description is the part of a file besides the matrices: everything that scores and Add depend on, including the
// loss, which new entities minimise. How it was minimised in training is not part of it.
type description struct {
	Model     string          `json:"model"`
	Norm      energy.Distance `json:"norm"`
	Eps       float64         `json:"eps"`
	Margin    float64         `json:"margin"`
	Scale     float64         `json:"scale"`
	Seed      uint64          `json:"seed"`
	Loss      loss            `json:"loss"`
	Against   Against         `json:"against"`
	Negatives Negatives       `json:"negatives"`
	Penalty   Penalty         `json:"penalty"`
	Bilevel   *Bilevel        `json:"bilevel,omitempty"`
	Entities  []string        `json:"entities"` // null if they are in the tensor namesTensor
	Relations []string        `json:"relations"`
	Unseen    []int32         `json:"unseen,omitempty"` // entities without a fact in training
	Facts     int             `json:"facts"`
	Sample    [][3]int32      `json:"sample,omitempty"` // (u, r, v)
}

// loss is a Config.Loss by name; a loss of another package has none.
type loss struct {
	Name   string  `json:"name,omitempty"`
	Number float64 `json:"number,omitempty"` // T of self-adversarial
}

func lossOf(r Ranking) loss {
	switch l := r.(type) {
	case Softmax:
		return loss{Name: "softmax"}
	case Softplus:
		return loss{Name: "softplus"}
	case SelfAdversarial:
		return loss{"self-adversarial", l.T}
	}
	return loss{}
}

// ranking returns the loss of that name; nil for an unknown name.
func (l loss) ranking() Ranking {
	for _, r := range []Ranking{Softmax{}, Softplus{}, SelfAdversarial{T: l.Number}} {
		if lossOf(r) == l {
			return r
		}
	}
	return nil
}

// metadata is the key of the description in the metadata of a file.
const metadata = "bloom.kg"

// Many names are a tensor of bytes, a list in JSON, as the header of a file is limited.
const (
	namesTensor = "names"
	manyNames   = 8 << 20 // bytes of the list
)

// Save writes the model: the same bytes for the same model. The error is a *Bad for an algorithm of Bilevel that is not
// the default, which a file has no word for.
func (m *Model) Save(w io.Writer) error {
	d := description{Model: energy.NameOf(m.Config.Model), Margin: m.Config.Margin,
		Scale: m.Config.Scale, Seed: m.Config.Seed, Loss: lossOf(m.Config.Loss),
		Against: m.Config.Against, Negatives: m.Config.Negatives,
		Penalty: m.Config.Penalty, Bilevel: m.Config.Bilevel, Relations: m.Relations}
	if c := m.Config.Model.Compare(); !c.Inner {
		d.Norm, d.Eps = c.Norm, c.Eps
	}
	if b := m.Config.Bilevel; b != nil && b.A != nil {
		return &Bad{"bilevel algorithm", fmt.Sprintf("%T", b.A), "cannot be written to a file"}
	}
	for v := range m.H.Rows() {
		d.Entities = append(d.Entities, m.Entities.At(int32(v)))
		if !m.Seen[v] {
			d.Unseen = append(d.Unseen, int32(v))
		}
	}
	d.Facts = m.Facts
	for _, t := range m.Sample {
		d.Sample = append(d.Sample, [3]int32{t.U, t.R, t.V})
	}
	f := &codec.Safetensors{Tensors: []codec.Tensor{tensor(m.H), tensor(m.E)}}
	names, err := json.Marshal(d.Entities)
	if err != nil {
		return err
	}
	if len(names) > manyNames {
		d.Entities = nil
		f.Tensors = append(f.Tensors, codec.TextTensor(namesTensor, names))
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	f.Metadata = map[string]string{metadata: string(text)}
	if m.Start != nil {
		f.Tensors = append(f.Tensors, tensor(m.Start))
	}
	return codec.WriteSafetensors(w, f)
}

// tensor returns a parameter in a file.
func tensor(p *ad.Param) codec.Tensor {
	return codec.NewTensor(p.Name, []int{p.Rows(), p.Cols()}, p.Value().Slice())
}

// Load reads a file that Save wrote.
func Load(path string) (*Model, error) {
	f, err := codec.ReadSafetensorsFile(path)
	if err != nil {
		return nil, err
	}
	return decode(path, f)
}

// decode returns the model in a file; name is for errors.
func decode(name string, f *codec.Safetensors) (m *Model, err error) {
	var d description
	if err := json.Unmarshal([]byte(f.Metadata[metadata]), &d); err != nil {
		return nil, fmt.Errorf("%s: not a model of a knowledge graph: %w", name, err)
	}
	if t, ok := f.Find(namesTensor); ok {
		if err := json.Unmarshal(t.Data, &d.Entities); err != nil {
			return nil, fmt.Errorf("%s: the names of entities: %w", name, err)
		}
	}
	m = &Model{Relations: d.Relations, Entities: dataset.NewIDs(d.Entities), Seen: make([]bool, len(d.Entities))}
	m.Config = Config{Margin: d.Margin, Scale: d.Scale, Seed: d.Seed,
		Loss: d.Loss.ranking(), Against: d.Against, Negatives: d.Negatives, Penalty: d.Penalty, Bilevel: d.Bilevel}
	if m.Config.Model, err = d.model(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range m.Seen {
		m.Seen[i] = true
	}
	for _, v := range d.Unseen {
		if v < 0 || int(v) >= len(m.Seen) {
			return nil, fmt.Errorf("%s: unseen entity %d of %d", name, v, len(m.Seen))
		}
		m.Seen[v] = false
	}
	if err := m.matrices(name, f); err != nil {
		return nil, err
	}
	m.Facts = d.Facts
	for _, t := range d.Sample {
		m.Sample = append(m.Sample, graph.Triple{U: t[0], R: t[1], V: t[2]})
	}
	for i, t := range m.Sample {
		if n := int32(len(m.Seen)); t.U < 0 || t.U >= n || t.V < 0 || t.V >= n || t.R < 0 ||
			int(t.R) >= m.numRelations() {
			return m, fmt.Errorf("%s: fact %d of the sample, %v, is out of range", name, i, t)
		}
	}
	return m, nil
}

// model returns the score that a description names.
func (d description) model() (energy.QueryModel, error) {
	for _, m := range []energy.QueryModel{energy.TransE(d.Norm, d.Eps), energy.DistMult, energy.ComplEx,
		energy.RotatE(d.Norm, d.Eps)} {
		if energy.NameOf(m) == d.Model {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no model %q", d.Model)
}

// matrices reads H, E and the start, and compares their shapes with the description.
func (m *Model) matrices(name string, f *codec.Safetensors) error {
	for _, x := range []struct {
		to   **ad.Param
		name string
		need bool
	}{{&m.H, "entities", true}, {&m.E, "relations", true}, {&m.Start, "start", m.Config.Bilevel != nil &&
		m.Config.Bilevel.Block == 0}} {
		t, ok := f.Find(x.name)
		if !ok && !x.need {
			continue
		}
		if !ok || len(t.Shape) != 2 {
			return fmt.Errorf("%s: no matrix %q", name, x.name)
		}
		values, err := mat.Load(t.Shape[0], t.Shape[1], codec.Values[mat.Real](t))
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, x.name, err)
		}
		*x.to = ad.NewParam(x.name, values)
	}
	m.Config.Dim = m.H.Cols()
	m.Config = m.Config.filled()
	want := mat.Shape{Rows: max(1, len(m.Relations)), Cols: m.Config.Model.Width(m.Config.Dim)}
	switch {
	case m.H.Rows() != len(m.Seen):
		return fmt.Errorf("%s: %d entities with %d names", name, m.H.Rows(), len(m.Seen))
	case m.E.Shape() != want:
		return fmt.Errorf("%s: relations of shape %v where %v is needed", name, m.E.Shape(), want)
	case m.Start != nil && m.Start.Shape() != mat.Shape{Rows: 1, Cols: m.Config.Dim}:
		return fmt.Errorf("%s: a start of shape %v for %d columns", name, m.Start.Shape(), m.Config.Dim)
	}
	return m.Config.check()
}
