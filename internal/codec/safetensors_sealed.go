package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/bloomgml/bloom/internal/files"
)

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
