package node

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/bloomgml/bloom/ad"
	"github.com/bloomgml/bloom/input"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/train"
)

// CertificateFile is where a run folder has the last certificate of all its nodes.
const CertificateFile = "certificate.json"

// Certified is the certificate in a run folder.
type Certified struct {
	Share     float64 // of the nodes whose class holds
	Under     string  // what may change, as "whichever edges are removed, at most 2 at a node"
	Minimiser bool    // it is about the minimiser, not the steps of the run
	nodes     map[string]*certifiedNode
	under     func(budget int) string
}

// Holding is what is proved about the answer for one node.
type Holding struct {
	Certified bool     `json:"certified"`             // under the budget; Text may name a smaller one
	Text      string   `json:"text"`                  // for people, in sentences
	Radius    *float64 `json:"radius,omitempty"`      // its own row of scaled features may move by less, in the L2 norm
	Near      *float64 `json:"near_radius,omitempty"` // the rows of its neighbours may, all of them together
}

// keep writes a certificate to a run folder.
func (c *certificate) keep(t *Trained) (err error) {
	if c.Model, err = t.WeightsHash(); err != nil {
		return err
	}
	return files.Write(filepath.Join(t.Dir, CertificateFile), files.WriteOptions{}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(c)
	})
}

// WeightsHash returns a fingerprint of the weights in the run folder. A closed form has none there: its weights are
// solved for when the run is opened, so their answers count too.
func (t *Trained) WeightsHash() (string, error) {
	weights, err := files.Read(train.ModelFile(t.Dir))
	if err != nil {
		return "", err
	}
	if f, solved := t.network.(*closedForm); solved {
		z, err := f.Predict(input.Evaluation())
		if err != nil {
			return "", err
		}
		for _, x := range ad.Eval(z).Slice() {
			weights = binary.LittleEndian.AppendUint32(weights, math.Float32bits(float32(x)))
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(weights)), nil
}

// Certified returns the certificate in the run folder; nil if there is none, or one of other weights.
func (t *Trained) Certified() (*Certified, error) {
	name := filepath.Join(t.Dir, CertificateFile)
	text, err := files.Read(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &certificate{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, files.Because(name, err)
	}
	if now, err := t.WeightsHash(); err != nil || now != c.Model {
		return nil, err
	}
	out := &Certified{Share: c.Certified, Under: c.changes(c.Budget), Minimiser: c.Of == "minimiser",
		nodes: map[string]*certifiedNode{}, under: c.changes}
	for i := range c.Nodes {
		out.nodes[c.Nodes[i].ID] = &c.Nodes[i]
	}
	return out, nil
}

// About returns what is proved about a node; nil if nothing is known.
func (c *Certified) About(id string) *Holding {
	if c == nil || c.nodes[id] == nil {
		return nil
	}
	n := c.nodes[id]
	h := &Holding{Certified: n.Certified, Text: "Changes of edges may overturn this answer: it is not proved to hold " +
		c.Under + ".", Radius: n.Radius, Near: n.Near}
	if n.Certified {
		h.Text = "This answer holds " + c.Under + "."
	} else if n.Largest > 0 {
		h.Text = "This answer holds " + c.under(n.Largest) + "; it is not proved to hold with more."
	}
	if n.Radius != nil {
		h.Text += " It holds while " + n.moves() + "."
	}
	return h
}
