package outside

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	theirs "github.com/ollama/ollama/x/imagegen/safetensors"

	"github.com/bloomgml/bloom/internal/codec"
)

// TestWeightsOfARun trains a model as a user does and has Ollama's reader take its weights apart.
func TestWeightsOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	train := exec.Command("go", "run", "./cmd/bloom", "train", "--data", "karate", "--set", "train.epochs=5",
		"--out", dir)
	train.Dir = filepath.Join("..", "..")
	if out, err := train.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	compare(t, filepath.Join(dir, "model.safetensors"))
}

// TestWeights does the same for tensors of every type and of odd shapes and names.
func TestWeights(t *testing.T) {
	f := &codec.Safetensors{Metadata: map[string]string{"what": "a test", "größe": "5 µm"}, Tensors: []codec.Tensor{
		codec.NewTensor("w", []int{2, 3}, []float32{1, -2, 3, 4.5, 0, 1e-30}),
		codec.NewTensor("ein Name, \"quoted\"/κ", []int{1, 1}, []float64{-1e300}),
		codec.NewTensor("empty", []int{0, 7}, []float32(nil)),
		codec.NewTensor("scalar", nil, []float32{7}),
		codec.NewTensor("a", []int{3}, []float32{1, 2, 3}),
	}}
	var b bytes.Buffer
	if err := codec.WriteSafetensors(&b, f); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	compare(t, path)
	if got, err := codec.ReadSafetensorsFile(path); err != nil || len(got.Tensors) != len(f.Tensors) {
		t.Errorf("%+v, %v", got, err)
	}
}

// compare reads a file with both readers: same names, types, shapes and bytes. Then it has theirs write the tensors and
// reads that with ours.
func compare(t *testing.T, path string) {
	t.Helper()
	want, err := codec.ReadSafetensorsFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x, err := theirs.OpenForExtraction(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	all, err := x.ExtractAll()
	if err != nil || len(all) != len(want.Tensors) || len(all) == 0 {
		t.Fatalf("%d tensors, want %d: %v", len(all), len(want.Tensors), err)
	}
	same := func(got *theirs.TensorData, in *codec.Safetensors) {
		tensor, ok := in.Find(got.Name)
		data, err := io.ReadAll(got.Reader())
		shape := slices.EqualFunc(tensor.Shape, got.Shape, func(a int, b int32) bool { return a == int(b) })
		if !ok || err != nil || string(tensor.Type) != got.Dtype || !shape || !bytes.Equal(data, tensor.Data) {
			t.Errorf("%q: %s %v of %d bytes, want %s %v of %d (%v)", got.Name, got.Dtype, got.Shape, len(data),
				tensor.Type, tensor.Shape, len(tensor.Data), err)
		}
	}
	for _, tensor := range all {
		same(tensor, want)
	}
	packed, err := io.ReadAll(theirs.BuildPackedSafetensorsReader(all))
	if err != nil {
		t.Fatal(err)
	}
	again, err := codec.ReadSafetensors("packed", packed)
	if err != nil || len(again.Tensors) != len(all) {
		t.Fatalf("what the other writer wrote: %v", err)
	}
	repeat, err := x.ExtractAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range repeat {
		same(tensor, again)
	}
}
