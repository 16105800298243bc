package serve

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"
)

// The page at / is files that are in the program: HTML, a style and modules of JavaScript, written by hand. It asks the
// endpoints under /v1, and no other address.
//
//go:embed page
var pageFiles embed.FS

// pagePolicy lets the page load its own files and ask its own server, and nothing else; texts cannot become scripts.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// pageTypes are the types of its files, which no setting of the machine may change.
var pageTypes = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// handlePage adds the page and its files. Everybody may have them: they know nothing of a run.
func handlePage(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { pageFile(w, r, "index.html") })
	mux.HandleFunc("GET /page/{file}", func(w http.ResponseWriter, r *http.Request) {
		pageFile(w, r, r.PathValue("file"))
	})
}

// pageFile writes one of them.
func pageFile(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	text, err := fs.ReadFile(pageFiles, path.Join("page", path.Base("/"+name)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(text)))
	h.Set("Content-Type", pageTypes[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
