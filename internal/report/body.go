package report

import "html"

// write writes the body of the page of a run.
func (p *page) write(m *markup) {
	m.list("tiles", p.Tiles)
	if len(p.Energy) > 0 {
		m.section("energy", "The energy", func() {
			m.raw("<p>What the layers go down on: f for every edge, κ for every node, by the algorithm A.</p>\n")
			m.formulas(p.Energy)
		})
	}
	if len(p.Learning) > 0 {
		m.section("learning", "Learning", func() { m.figures(p.Learning) })
	}
	if len(p.Descent) > 0 {
		m.section("descent", "The descent", func() {
			m.raw("<p>A layer is a step. Energy that still falls, or steps that are still long, say that more layers " +
				"would change the predictions.</p>\n")
			m.figures(p.Descent)
		})
	}
	m.section("predictions", "Predictions", func() { p.predictions(m) })
	if p.Covered != nil {
		m.section("coverage", "Sets that hold the truth", func() { p.Covered.write(m) })
	}
	m.section("data", "The data", func() { p.about(m) })
	m.section("audit", "What may be wrong", func() {
		if p.Flags == nil {
			m.raw("<p>bloom audit ranks the rows, classes and edges of the data that are probably wrong, and adds " +
				"them here.</p>\n")
			return
		}
		p.Flags.write(m)
	})
	m.section("node", "One node", func() { p.node(m) })
	m.section("repeat", "Again", func() { p.again(m) })
}

func (p *page) predictions(m *markup) {
	m.list("facts", p.Metrics)
	m.raw("<div class=\"grid\">\n")
	if len(p.Confusion.Rows) > 0 {
		p.Confusion.write(m)
	}
	for _, f := range p.Judged {
		m.figure(f)
	}
	m.raw("</div>\n")
}

// about is what the data is.
func (p *page) about(m *markup) {
	m.list("facts", p.Data)
	if p.Advice != "" {
		m.f("<p>%s</p>\n", p.Advice)
	}
	if len(p.Notes) > 0 {
		m.raw("<ul class=\"notes\">")
		for _, n := range p.Notes {
			m.f("<li>%s</li>", n)
		}
		m.raw("</ul>\n")
	}
	if len(p.Near) > 0 {
		m.figures(p.Near)
	}
}

// node is the graph around one node and what pulls at it.
func (p *page) node(m *markup) {
	m.f("<p>%s %s</p>\n<div class=\"grid wide\">\n", p.Verdict, p.Apart)
	m.figure(p.Drawing)
	if len(p.Pulls) > 0 {
		m.raw("<figure>\n<h3>What pulls at it</h3>\n")
		m.table([]string{"from", "label", "energy#", "pull#"}, func() {
			for _, x := range p.Pulls {
				m.row("", html.EscapeString(x.From), cell{"", x.Label}, cell{"n", x.Energy},
					cell{"n" + when(x.Against, " bad"), x.Pull})
			}
		})
		m.raw("<figcaption>A positive pull supports the predicted class against the second. Where the descent has " +
			"converged, pulls of features and edges add up to zero. A column has what its row would cost and pull " +
			"less if it were as usual.</figcaption>\n</figure>\n")
	}
	m.raw("</div>\n")
}

// again is how to repeat the run.
func (p *page) again(m *markup) {
	m.raw("<p>The same config, data and seed give the same weights, bit for bit on the same kind of " +
		"processor.</p>\n<pre>")
	for _, line := range p.Repeat {
		m.f("%s\n", line)
	}
	m.f("</pre>\n<details><summary>The config</summary>\n<pre>%s</pre>\n</details>\n", p.Config)
}

// write writes the body of a comparison.
func (c *comparison) write(m *markup) {
	m.section("runs", "Runs", func() {
		m.table([]string{"run", "recipe", "data", "metric", "test#", "validation#", "energy taken away#",
			"one more step#", "weights#", "time#"}, func() {
			for _, r := range c.Rows {
				name := `<i class="dot ` + string(r.Ink) + `"></i>` + html.EscapeString(r.Name)
				m.row(when(r.Best, "best"), name, cell{"", r.Recipe}, cell{"", r.Data}, cell{"", r.Metric},
					cell{"n", r.Test}, cell{"n", r.Valid},
					cell{"n", r.Drop}, cell{"n", r.Residual}, cell{"n", r.Weights}, cell{"n", r.Duration})
			}
		})
		m.raw("<p class=\"fine\">Bold: the best validation among the runs on the same data.</p>\n")
	})
	c.rest(m)
}

// rest is what comparisons of all kinds have below their table.
func (c *comparison) rest(m *markup) {
	if len(c.Figures) > 0 {
		m.section("curves", "Curves", func() { m.figures(c.Figures) })
	}
	m.section("configs", "What differs between the configs", func() {
		if len(c.Differ) == 0 {
			m.raw("<p>Nothing.</p>\n")
			return
		}
		m.table(append([]string{"key"}, c.Heads...), func() {
			for _, d := range c.Differ {
				cells := make([]cell, len(d.Values))
				for i, v := range d.Values {
					cells[i].text = v
				}
				m.row("", "<code>"+html.EscapeString(d.Key)+"</code>", cells...)
			}
		})
	})
}
