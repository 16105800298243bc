package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/internal/chart"
	"github.com/bloomgml/bloom/internal/files"
	"github.com/bloomgml/bloom/internal/terminal"
)

// drawDatabase draws the tables of a database that was asked, and the keys between them; nil if there was none.
func (r *Run) drawDatabase() (*drawing, error) {
	name := filepath.Join(r.Dir, dataset.SchemaFile)
	text, err := files.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var tables []dataset.TableKeys
	if err == nil {
		err = json.Unmarshal(text, &tables)
	}
	if err != nil {
		return nil, files.Because(name, err)
	}
	d := &drawing{Title: "The tables that were asked", Width: drawingWidth, Height: drawingHeight,
		About: "A line is a key. The larger a table is drawn, the more rows it has; those in colour have a time."}
	place := placeTables(tables)
	for i, t := range tables {
		for _, k := range t.Keys {
			for j, other := range tables {
				if other.Name == k.Table {
					d.Edges = append(d.Edges, drawnEdge{From: place[i], To: place[j], Class: "rule", Width: 1.5})
				}
			}
		}
		d.Nodes = append(d.Nodes, aboutTable(&t, place[i]))
		at := place[i]
		at.Y -= float64(d.Nodes[i].Radius) + 5
		d.Names = append(d.Names, drawnName{at, terminal.Shorten(t.Name, 20)})
	}
	return d, nil
}

// placeTables lays out tables, so that names fit into the drawing.
func placeTables(tables []dataset.TableKeys) []place {
	number := map[string]int{}
	for i, t := range tables {
		number[t.Name] = i
	}
	var edges [][2]int
	for i, t := range tables {
		for _, k := range t.Keys {
			if j, ok := number[k.Table]; ok && j != i {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	at := layout(len(tables), edges)
	for i, p := range at {
		at[i] = place{2*drawingMargin + (p.X+1)/2*(drawingWidth-4*drawingMargin),
			drawingMargin + (p.Y+1)/2*(drawingHeight-2*drawingMargin)}
	}
	return at
}

// aboutTable draws a table, and says what it is to who points at it.
func aboutTable(t *dataset.TableKeys, at place) drawnNode {
	n := drawnNode{place: at, Radius: 4 + int(2*math.Log10(float64(t.Rows)+1)), Ink: chart.Series(-1),
		About: fmt.Sprintf("%s: %s", t.Name, terminal.Plural(t.Rows, "row"))}
	if t.Time != "" {
		n.Ink = chart.Series(0)
		n.About += ", known at " + t.Time
	}
	if t.Key != "" {
		n.About += ", named by " + t.Key
	}
	for _, k := range t.Keys {
		n.About += fmt.Sprintf("; %s leads to %s.%s (%s)", k.Column, k.Table, k.Target, k.Why)
	}
	return n
}
