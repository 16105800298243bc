package path

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bloomgml/bloom/internal/codec"
	"github.com/bloomgml/bloom/internal/files"
)

// Builtin names the weights that come with the package, trained on FB15k-237, WN18RR and CoDEx-M (docs/kg.md).
const Builtin = ""

//go:embed weights/zero.safetensors
var builtin []byte

// Pretrained returns a model with Relations Graph for relations of any names, with the weights of a file: a checkpoint
// of ULTRA (.pth), or what Model.Write has written; or with Builtin. The weights decide about Hidden and Layers.
func Pretrained(file string, c Config, relations []string) (*Model, error) {
	f, err := weightsOf(file)
	if err != nil {
		return nil, err
	}
	c.Relations, c.Layers = Graph, 0
	for _, t := range f.Tensors {
		if strings.HasPrefix(t.Name, "relations.") && strings.HasSuffix(t.Name, ".kinds") {
			c.Layers++
			if len(t.Shape) == 2 {
				c.Hidden = t.Shape[1]
			}
		}
	}
	if c.Layers == 0 {
		return nil, files.Errorf(file, "it has no weights of a model of relations")
	}
	if err := checkSizes(file, f, c, len(relations)); err != nil {
		return nil, err
	}
	m, err := New(c, relations)
	if err != nil {
		return nil, files.Because(file, err)
	}
	return m, readParams(file, f, m.params)
}

// weightsOf reads the tensors of a file, with our names.
func weightsOf(file string) (*codec.Safetensors, error) {
	if file == Builtin {
		return codec.ReadSafetensors("built-in weights", builtin)
	}
	if filepath.Ext(file) == ".safetensors" {
		b, err := files.Read(file)
		if err != nil {
			return nil, err
		}
		return codec.ReadSafetensors(file, b)
	}
	v, err := codec.ReadTorch(file, files.NewBudget())
	if err != nil {
		return nil, err
	}
	f, u := &codec.Safetensors{}, ultra{file: file, tensors: map[string]*codec.Array{}}
	u.collect("", v, 0)
	for _, prefix := range []string{"model.", ""} {
		if u.tensors[prefix+"relation_model.layers.0.relation.weight"] != nil {
			u.prefix = prefix
		}
	}
	for l := 0; u.has(fmt.Sprintf("relation_model.layers.%d.relation.weight", l)); l++ {
		from, to := fmt.Sprintf("relation_model.layers.%d.", l), fmt.Sprintf("relations.%d.", l)
		f.Tensors = append(f.Tensors, u.plain(to+"kinds", from+"relation.weight"))
		f.Tensors = append(f.Tensors, u.step(to, from)...)
		from = fmt.Sprintf("entity_model.layers.%d.", l)
		f.Tensors = append(f.Tensors, u.turned(to+"in.W", from+"relation_projection.0.weight", 0, 1),
			u.plain(to+"in.b", from+"relation_projection.0.bias"),
			u.turned(to+"out.W", from+"relation_projection.2.weight", 0, 1),
			u.plain(to+"out.b", from+"relation_projection.2.bias"))
		f.Tensors = append(f.Tensors, u.step(fmt.Sprintf("entities.%d.", l), from)...)
	}
	f.Tensors = append(f.Tensors, u.turned("out1.W", "entity_model.mlp.0.weight", 0, 2),
		u.turned("out1.Wq", "entity_model.mlp.0.weight", 1, 2), u.plain("out1.b", "entity_model.mlp.0.bias"),
		u.turned("out2.W", "entity_model.mlp.2.weight", 0, 1), u.plain("out2.b", "entity_model.mlp.2.bias"))
	return f, u.err
}

// ultra reads a checkpoint of ULTRA, whose matrices have a row per column of ours.
type ultra struct {
	file, prefix string
	tensors      map[string]*codec.Array // by the keys of the dicts that they are in, with dots between them
	err          error                   // the first
}

// mostDepth is the maximum number of dicts inside of each other; a dict may hold itself.
const mostDepth = 16

// collect adds the tensors of a value; lists and all else are passed over.
func (u *ultra) collect(name string, v any, depth int) {
	switch v := v.(type) {
	case *codec.Array:
		u.tensors[name] = v
	case *codec.Dict:
		for i, k := range v.Keys {
			key, ok := k.(string)
			if ok && depth < mostDepth {
				u.collect(strings.TrimPrefix(name+"."+key, "."), v.Values[i], depth+1)
			}
		}
	}
}

func (u *ultra) has(name string) bool { return u.tensors[u.prefix+name] != nil }

// read returns a tensor as a matrix; a vector is a row.
func (u *ultra) read(name string) (rows, cols int, numbers []float32) {
	t := u.tensors[u.prefix+name]
	if u.err != nil {
		return 0, 0, nil
	}
	if t == nil || len(t.Shape) != 1 && len(t.Shape) != 2 {
		u.err = files.Errorf(u.file, "it has no weights of ULTRA: no matrix %s", name)
		return 0, 0, nil
	}
	if numbers, u.err = codec.Floats[float32](t); len(t.Shape) == 1 {
		return 1, t.Shape[0], numbers
	}
	return t.Shape[0], t.Shape[1], numbers
}

// plain is a tensor under another name.
func (u *ultra) plain(to, from string) codec.Tensor {
	rows, cols, numbers := u.read(from)
	return codec.NewTensor(to, []int{rows, cols}, numbers)
}

// turned is part i of n of the columns of a matrix, transposed.
func (u *ultra) turned(to, from string, i, n int) codec.Tensor {
	rows, cols, numbers := u.read(from)
	part := cols / n
	t := make([]float32, 0, part*rows)
	for c := i * part; c < (i+1)*part; c++ {
		for r := range rows {
			t = append(t, numbers[r*cols+c])
		}
	}
	return codec.NewTensor(to, []int{part, rows}, t)
}

// step is a layer: a linear map of [h, a], and a norm.
func (u *ultra) step(to, from string) []codec.Tensor {
	return []codec.Tensor{u.turned(to+"own.W", from+"linear.weight", 0, 2),
		u.turned(to+"aggregated.W", from+"linear.weight", 1, 2), u.plain(to+"b", from+"linear.bias"),
		u.plain(to+"norm.scale", from+"layer_norm.weight"), u.plain(to+"norm.shift", from+"layer_norm.bias")}
}
