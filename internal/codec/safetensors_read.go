package codec

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

// tensorMaxHeader is the maximum length of a header, as in the format's own library.
const tensorMaxHeader = 100 << 20

// ReadSafetensorsFile reads the file at path, which must match SHA256SUMS next to it, if there is one.
func ReadSafetensorsFile(path string) (*Safetensors, error) {
	b, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return ReadSafetensors(path, b)
}

// ReadSafetensors decodes b; errors call it name. The tensors, in the order of their bytes, share the memory of b.
func ReadSafetensors(name string, b []byte) (*Safetensors, error) {
	if len(b) < 8 {
		return nil, files.Errorf(name, "%d bytes: too short for a safetensors file", len(b))
	}
	n := binary.LittleEndian.Uint64(b)
	if n > tensorMaxHeader || n > uint64(len(b)-8) {
		return nil, files.ErrorAtByte(name, 0, "a header of %d bytes in a file of %d", n, len(b))
	}
	header, data := b[8:8+n], b[8+n:]
	entries, meta, err := layout(name, header, int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &Safetensors{Metadata: meta}
	for _, e := range entries {
		f.Tensors = append(f.Tensors, Tensor{Name: e.name, Type: e.Type, Shape: e.Shape,
			Data: data[e.Offsets[0]:e.Offsets[1]]})
	}
	return f, nil
}

// layout returns what a header says about the given number of bytes after it, in their order.
func layout(name string, header []byte, bytes int64) ([]named, map[string]string, error) {
	if len(header) == 0 || header[0] != '{' {
		return nil, nil, files.ErrorAtByte(name, 8, "the header is not a JSON object")
	}
	entries, meta, err := tensorDecode(name, header)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(entries, func(x, y named) int {
		return cmp.Or(cmp.Compare(x.Offsets[0], y.Offsets[0]), cmp.Compare(x.Offsets[1], y.Offsets[1]))
	})
	at := int64(0)
	for _, e := range entries {
		size, err := byteSize(DType{Size: e.Type.size()}, e.Shape)
		switch from, to := e.Offsets[0], e.Offsets[1]; {
		case e.Type.size() == 0:
			return nil, nil, files.Errorf(name, "tensor %q has the type %q; F32, F64 and U8 are read", e.name, e.Type)
		case from != at || to < from || to > bytes:
			return nil, nil, files.Errorf(name, "tensor %q is at bytes %d to %d, and byte %d of %d comes next", e.name,
				from, to, at, bytes)
		case err != nil || size != to-from:
			return nil, nil, files.Errorf(name, "tensor %q has the shape %v and %d bytes of %s", e.name, e.Shape,
				to-from, e.Type)
		}
		at = e.Offsets[1]
	}
	if at != bytes {
		return nil, nil, files.Errorf(name, "%d bytes after the last tensor", bytes-at)
	}
	return entries, meta, nil
}

// named is an entry with its name.
type named struct {
	name string
	entry
}

// tensorDecode reads the header key by key, since a map would hide duplicate names.
func tensorDecode(name string, header []byte) (entries []named, meta map[string]string, err error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if _, err := d.Token(); err != nil {
		return nil, nil, files.Because(name, err)
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, files.Because(name, err)
		}
		k, _ := key.(string)
		if seen[k] {
			return nil, nil, files.Errorf(name, "duplicate name %q", k)
		}
		seen[k] = true
		e := named{name: k}
		var into any = &e.entry
		if k == metadata {
			into = &meta
		}
		if err := d.Decode(into); err != nil {
			return nil, nil, files.Because(name, err)
		}
		if k != metadata {
			entries = append(entries, e)
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, nil, files.Because(name, err)
	}
	return entries, meta, nil
}

// sealKey is the metadata key of a sealed file for the SHA-256 of all its bytes, computed with zeros in its place.
const sealKey = "sha256"

// unsealed is the placeholder for the SHA-256.
var unsealed = strings.Repeat("0", 2*sha256.Size)

// WriteSealed is Write with a checksum of all bytes in the metadata, which ReadSealed verifies.
func WriteSealed(w io.Writer, f *Safetensors) error {
	g := &Safetensors{Tensors: f.Tensors, Metadata: map[string]string{}}
	maps.Copy(g.Metadata, f.Metadata)
	g.Metadata[sealKey] = unsealed
	sum := sha256.New()
	if err := WriteSafetensors(sum, g); err != nil {
		return err
	}
	g.Metadata[sealKey] = hex.EncodeToString(sum.Sum(nil))
	return WriteSafetensors(w, g)
}

// ReadSealed reads a file that WriteSealed wrote. It returns a *files.Error if the bytes have changed.
func ReadSealed(path string) (*Safetensors, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, files.Because(path, err)
	}
	return readSealed(path, b)
}

func readSealed(path string, b []byte) (*Safetensors, error) {
	f, err := ReadSafetensors(path, b)
	if err != nil {
		return nil, err
	}
	want := f.Metadata[sealKey]
	at := bytes.Index(b, []byte(`"`+want+`"`))
	if len(want) != len(unsealed) || at < 0 {
		return nil, files.Errorf(path, "there is no checksum of its bytes")
	}
	sum := sha256.New()
	sum.Write(b[:at+1])
	sum.Write([]byte(unsealed))
	sum.Write(b[at+1+len(want):])
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return nil, files.Errorf(path, "its bytes have changed since they were written: their SHA-256 is %s, want %s",
			got, want)
	}
	return f, nil
}
