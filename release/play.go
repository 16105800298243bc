package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// starting is what the page calls.
const starting = `
globalThis.startBloom = async () => {
  const text = atob(globalThis.bloomEngine), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  globalThis.bloomEngine = "";
  const whole = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  const go = new Go(), { instance } = await WebAssembly.instantiate(await whole.arrayBuffer(), go.importObject);
  go.run(instance);
};
`

// writePlay compiles cmd/bloom-play to WebAssembly and writes engine.js: Go's own support script, the program,
// compressed and in base64, and a function that starts it, so that the page docs/play needs no server. Without a folder
// the file is written next to the page; into another folder the page is copied too.
func writePlay(args []string, w io.Writer) error {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	page := filepath.Join(root, "docs", "play")
	out := page
	switch {
	case len(args) > 1:
		return fmt.Errorf("want one folder, got %q", args)
	case len(args) == 1:
		if out = args[0]; os.MkdirAll(out, 0o755) != nil {
			return fmt.Errorf("%s cannot be created", out)
		}
		list, err := filepath.Glob(filepath.Join(page, "*"))
		for _, name := range list {
			text, e := os.ReadFile(name)
			err = errors.Join(err, e, os.WriteFile(filepath.Join(out, filepath.Base(name)), text, 0o644))
		}
		if err != nil {
			return err
		}
	}
	script, packed, err := engine(root)
	if err != nil {
		return err
	}
	name := filepath.Join(out, "engine.js")
	if err := os.WriteFile(name, script, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: the program has %.1f MB compressed; open %s in a browser\n", name, float64(packed)/1e6,
		filepath.Join(out, "index.html"))
	return err
}

// engine returns engine.js, and how long the compressed program in it is.
func engine(root string) (script []byte, packed int, err error) {
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, 0, err
	}
	support, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, 0, fmt.Errorf("support script of Go: %w", err)
	}
	work, err := os.MkdirTemp("", "bloom-play")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "bloom.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", program,
		"./cmd/bloom-play")
	build.Dir, build.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("go build: %w\n%s", err, text)
	}
	code, err := os.ReadFile(program)
	if err != nil {
		return nil, 0, err
	}
	var b, small bytes.Buffer
	z, _ := gzip.NewWriterLevel(&small, gzip.BestCompression) // there is such a level
	if _, err := z.Write(code); err != nil {
		return nil, 0, err
	}
	if err := z.Close(); err != nil {
		return nil, 0, err
	}
	b.Write(support)
	fmt.Fprintf(&b, "\nglobalThis.bloomEngine = %q;\n%s", base64.StdEncoding.EncodeToString(small.Bytes()), starting)
	return b.Bytes(), small.Len(), nil
}

// output returns what a command prints.
func output(name string, args ...string) (string, error) {
	text, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(text)), err
}
