package pickle

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// Weights are the tensors of a checkpoint by name. A tensor inside of dicts is named after their keys, with dots
// between them.
type Weights struct {
	Names   []string // in the order of the file
	tensors map[string]*Tensor
	members map[string]*zip.File // storages by name
	file    string
	budget  *files.Budget
}

// ReadCheckpoint reads the file of torch.save: a zip archive with a pickle of tensors of float32 and a member for each
// storage.
func ReadCheckpoint(file string, b *files.Budget) (*Weights, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, files.Because(file, err)
	}
	b.Admit(file, info.Size())
	if err := b.Take(info.Size(), "its bytes"); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, files.Because(file, err)
	}
	return DecodeCheckpoint(file, data, b)
}

// DecodeCheckpoint is ReadCheckpoint for the bytes of a file.
func DecodeCheckpoint(file string, data []byte, b *files.Budget) (*Weights, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, files.Errorf(file, "not a checkpoint of PyTorch 1.6 or newer: %v", err)
	}
	w := &Weights{tensors: map[string]*Tensor{}, members: map[string]*zip.File{}, file: file, budget: b}
	var pickled *zip.File
	for _, m := range z.File {
		switch folder, name := path.Split(m.Name); {
		case name == "data.pkl":
			pickled = m
		case name == "byteorder":
			if order, err := w.member(m); err != nil || string(order) != "little" {
				return nil, files.Errorf(file, "numbers are in byte order %q, want little", order)
			}
		case strings.HasSuffix(folder, "/data/"):
			w.members[name] = m
		}
	}
	if pickled == nil {
		return nil, files.Errorf(file, "an archive without data.pkl is not a checkpoint of PyTorch")
	}
	text, err := w.member(pickled)
	if err != nil {
		return nil, err
	}
	v, err := Decode(file+":"+pickled.Name, text, b)
	if err != nil {
		return nil, err
	}
	return w, w.collect("", v, 0)
}

// mostDepth is the maximum number of dicts inside of each other.
const mostDepth = 16

// collect adds the tensors of a value; lists and all else are passed over.
func (w *Weights) collect(name string, v any, depth int) error {
	if depth > mostDepth {
		return files.Errorf(w.file, "%s: more than %d dicts inside of each other", name, mostDepth)
	}
	switch v := v.(type) {
	case *Tensor:
		if w.tensors[name] != nil {
			return files.Errorf(w.file, "tensor %s is there twice", name)
		}
		w.Names, w.tensors[name] = append(w.Names, name), v
	case *Dict:
		for i, k := range v.Keys {
			key, ok := k.([]byte)
			if !ok {
				continue
			}
			below := string(key)
			if name != "" {
				below = name + "." + below
			}
			if err := w.collect(below, v.Values[i], depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// Read returns the shape and the numbers of a tensor; a nil shape if no tensor has that name.
func (w *Weights) Read(name string) (shape []int, numbers []float32, err error) {
	t := w.tensors[name]
	if t == nil {
		return nil, nil, nil
	}
	m := w.members[t.storage.name]
	if m == nil {
		return nil, nil, files.Errorf(w.file, "%s: there is no storage %q", name, t.storage.name)
	}
	data, err := w.member(m)
	if err != nil {
		return nil, nil, err
	}
	if len(data)/4 < t.storage.count {
		return nil, nil, files.Errorf(w.file, "%s: storage %q has %d bytes, want %d numbers", name, t.storage.name,
			len(data), t.storage.count)
	}
	count := 1
	for _, s := range t.Shape {
		count *= s
	}
	numbers = make([]float32, count)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(t.offset+i):]))
	}
	return t.Shape, numbers, nil
}

// member returns the bytes of a member, which must be stored as they are: the file then has room for them.
func (w *Weights) member(m *zip.File) ([]byte, error) {
	if m.Method != zip.Store || m.UncompressedSize64 != m.CompressedSize64 {
		return nil, files.Errorf(w.file, "member %q is compressed; PyTorch stores members as they are", m.Name)
	}
	if err := w.budget.Take(int64(m.UncompressedSize64), "a member of the archive"); err != nil {
		return nil, err
	}
	r, err := m.Open()
	if err != nil {
		return nil, files.Because(w.file+":"+m.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, files.Because(w.file+":"+m.Name, err)
	}
	return data, nil
}
