package report

import (
	"cmp"
	"io"

	"github.com/bloomgml/bloom/internal/show"
	"github.com/bloomgml/bloom/task"
)

// Plain is a run whose page shows what the folder holds, and what its kind adds.
type Plain struct {
	runFolder
	More *task.Page
}

// OpenPlain reads the folder of a run of a kind. It opens no data.
func OpenPlain(dir string, k task.Kind) (*Plain, error) {
	r := &Plain{runFolder: runFolder{Dir: dir}, More: &task.Page{}}
	return r, r.read(func() (metric string, err error) {
		if p, ok := k.(task.Paged); ok {
			r.More, err = p.Page(dir, &r.Result)
		}
		if err != nil {
			return "", err
		}
		return r.More.Metric, nil
	})
}

type plainPage struct {
	page
	Sections []plainSection
	Data     []tile
}

type plainSection struct {
	Title, About string
	Tables       []plainTable
	Figures      []*show.Chart
}

type plainTable struct {
	Title, About string
	Head         []plainCell
	Rows         [][]plainCell
}

type plainCell struct {
	Text        string
	Number, Bar bool
}

// Page writes the page.
func (r *Plain) Page(w io.Writer, _ Options) error { return write(w, "plain", r.page()) }

func (r *Plain) page() *plainPage {
	p := &plainPage{Data: tiles(r.More.Data), page: page{Title: r.title(), Lead: r.More.Lead,
		Tiles: append([]tile{r.score("Test", r.Result.Test, r.format(), "no such "+r.More.Of),
			r.score("Validation", r.Result.Valid, r.format(), "no such "+r.More.Of)}, tiles(r.More.Values)...),
		Learning: present(show.LineChart(r.validation(), show.Axes{Below: "epoch", Count: true},
			r.over("", show.Series(0), valid)...).Saying("The epoch with the best one was kept."),
			r.lossCurves("What training minimises, as the mean over the batches of an epoch.")),
		Notes: r.said(), Config: string(r.config),
		Repeat: append([]string{show.ShellCommand("bloom", "train", r.Dir+"/config.yaml", "--out", "again")},
			append(r.More.Commands, show.ShellCommand("bloom", "report", r.Dir))...)}}
	p.Tiles = append(p.Tiles, r.effort()...)
	for _, s := range r.More.Sections {
		p.Sections = append(p.Sections, newSection(s))
	}
	return p
}

func tiles(list []task.Value) (out []tile) {
	for _, v := range list {
		out = append(out, tile(v))
	}
	return out
}

// validation names the curve of what chooses the epoch.
func (r *Plain) validation() string {
	return "Validation " + words(cmp.Or(r.More.Metric, r.Result.Metric))
}

func (r *Plain) format() show.Format {
	if r.More.Percent {
		return show.Percent
	}
	return show.Fraction
}

// newSection draws histograms, and distinguishes numbers from words in tables.
func newSection(s task.Section) plainSection {
	out := plainSection{Title: s.Title, About: s.About}
	for _, h := range s.Histograms {
		var groups []show.Group
		for i, g := range h.Groups {
			groups = append(groups, show.Group{Name: g.Name, Ink: show.Series(i), Values: g.Values})
		}
		out.Figures = append(out.Figures, present(show.Histogram(h.Title, show.Axes{Below: h.Below, X: h.Mark,
			Count: true}, h.Low, h.High, h.Bins, groups...).Saying(h.About))...)
	}
	for _, t := range s.Tables {
		row := func(words []string) (cells []plainCell) {
			for i, text := range words {
				cells = append(cells, plainCell{text, i >= t.Words, t.Bar != "" && t.Head[i] == t.Bar})
			}
			return cells
		}
		table := plainTable{Title: t.Title, About: t.About, Head: row(t.Head)}
		for _, words := range t.Rows {
			table.Rows = append(table.Rows, row(words))
		}
		out.Tables = append(out.Tables, table)
	}
	return out
}

func (r *Plain) more() []tile { return tiles(r.More.Row) }

func (r *Plain) compared(runs []Opened, names []string) (about string, figures []*show.Chart) {
	return r.More.RowAbout, present(overlay(r.validation()+" while training", runs, names,
		show.Axes{Below: "epoch", Count: true}, func(r Opened) (xs, ys []float64) { return r.folder().firstRun() }).
		Saying("The first run of each folder."))
}
