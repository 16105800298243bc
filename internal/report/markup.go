package report

import (
	_ "embed" // for the style
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/bloomgml/bloom/internal/chart"
)

// style says what pages look like, in light and in dark.
//
//go:embed style.css
var style string

// markup is HTML that is being written. Everything that comes from data goes through text or f.
//
// Chosen: no templates. Those of the standard library call methods by name, which keeps the linker from leaving out any
// method of the whole program: 12 MB of it.
type markup struct{ b strings.Builder }

// raw writes HTML.
func (m *markup) raw(parts ...string) {
	for _, s := range parts {
		m.b.WriteString(s)
	}
}

// f writes HTML with texts in the place of %s.
func (m *markup) f(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, s := range texts {
		escaped[i] = html.EscapeString(s)
	}
	fmt.Fprintf(&m.b, format, escaped...)
}

// logo is the mark beside the name.
const logo = `<svg viewBox="0 0 24 24" aria-hidden="true"><g class="petals"><circle cx="12" cy="6.5" r="4"/><circle cx="17.2" cy="10.3" r="4"/><circle cx="15.2" cy="16.4" r="4"/><circle cx="8.8" cy="16.4" r="4"/><circle cx="6.8" cy="10.3" r="4"/></g><circle class="heart" cx="12" cy="12" r="3"/></svg>`

// Beginning is what every page begins with, and no page of others.
const Beginning = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
	"<meta name=\"generator\" content=\"bloom\">\n"

// page writes a page with a title, a sentence that leads in and a body.
func (m *markup) page(title, lead string, body func()) {
	m.raw(Beginning, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n")
	m.f("<title>%s · bloom</title>\n", title)
	m.raw("<style>\n", chart.Style, style, "</style>\n</head>\n<body>\n<header>\n<p class=\"brand\">", logo,
		" bloom</p>\n")
	m.f("<h1>%s</h1>\n<p class=\"lead\">%s</p>\n</header>\n<main>\n", title, lead)
	body()
	m.raw("</main>\n</body>\n</html>\n")
}

// section writes a section with a heading.
func (m *markup) section(id, heading string, body func()) {
	m.f("<section id=\"%s\">\n<h2>%s</h2>\n", id, heading)
	body()
	m.raw("</section>\n")
}

// figures writes figures beside each other.
func (m *markup) figures(list []*chart.Chart) {
	m.raw("<div class=\"grid\">\n")
	for _, f := range list {
		m.figure(f)
	}
	m.raw("</div>\n")
}

// figure writes a chart with its legend and caption.
func (m *markup) figure(f *chart.Chart) {
	m.f("<figure>\n<h3>%s</h3>\n", f.Title)
	if len(f.Legend) > 0 {
		m.raw("<ul class=\"legend\">")
		for _, k := range f.Legend {
			m.f("<li><i class=\"%s %s\"></i>%s</li>", k.Mark, string(k.Ink), k.Name)
		}
		m.raw("</ul>\n")
	}
	m.raw(f.SVG, "\n")
	if f.About != "" {
		m.f("<figcaption>%s</figcaption>\n", f.About)
	}
	m.raw("</figure>\n")
}

// cell is a cell of a table: a class, or none, and a text.
type cell struct{ class, text string }

// row writes a row of a table whose first cell is a heading that is HTML already.
func (m *markup) row(class, heading string, cells ...cell) {
	m.raw("<tr", classed(class), "><th scope=\"row\">", heading, "</th>")
	for _, c := range cells {
		m.raw("<td", classed(c.class), ">")
		m.f("%s</td>", c.text)
	}
	m.raw("</tr>\n")
}

// table writes a table that scrolls where it is too wide. Heads that end in a # are above numbers.
func (m *markup) table(heads []string, rows func()) {
	m.raw("<div class=\"scroll\"><table>\n<thead><tr>")
	for _, h := range heads {
		name, number := strings.CutSuffix(h, "#")
		class := ""
		if number {
			class = "n"
		}
		m.raw("<th scope=\"col\"", classed(class), ">")
		m.f("%s</th>", name)
	}
	m.raw("</tr></thead>\n<tbody>")
	rows()
	m.raw("</tbody></table></div>\n")
}

// classed is the attribute class, empty for none.
func classed(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

// when is s where c holds, and nothing elsewhere.
func when(c bool, s string) string {
	if c {
		return s
	}
	return ""
}

// list writes names with their values.
func (m *markup) list(class string, items []fact) {
	m.raw("<dl class=\"", class, "\">\n")
	for _, x := range items {
		m.f("<div><dt>%s</dt><dd>%s", x.Name, x.Value)
		if x.More != "" {
			m.f("<small>%s</small>", x.More)
		}
		m.raw("</dd></div>\n")
	}
	m.raw("</dl>\n")
}

// formulas writes names with formulas, typeset.
func (m *markup) formulas(items []fact) {
	m.raw("<dl class=\"formulas\">\n")
	for _, x := range items {
		m.raw("<div><dt>", typeset(x.Name), "</dt><dd>", typeset(x.Value))
		if x.More != "" {
			m.raw("<small>", typeset(x.More), "</small>")
		}
		m.raw("</dd></div>\n")
	}
	m.raw("</dl>\n")
}

// to writes what was made.
func (m *markup) to(w io.Writer) error {
	_, err := io.WriteString(w, m.b.String())
	return err
}
