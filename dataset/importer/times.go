package importer

import (
	"math"
	"strings"
	"time"

	"github.com/bloomgml/bloom/dataset"
	"github.com/bloomgml/bloom/mat"
)

// fitTime fits the transform of a column of dates, of which there is one. Parts that are the same in all of them are
// left out.
//
// Chosen: the days of a week count where days of months differ.
func (p *columnProfile) fitTime(c *dataset.Column, values *dataset.Texts) {
	var since1970 []float64 // in seconds
	// days of years by month and day, as leap years number days differently
	yearDays, monthDays, seconds := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i := range values.Len() {
		text := strings.TrimSpace(values.Text(i))
		t, ok := Moment(c, text)
		if !ok {
			c.NotRead(text, IsMissing(text))
			continue
		}
		since1970 = append(since1970, float64(t.Unix()))
		yearDays[32*int(t.Month())+t.Day()], monthDays[t.Day()], seconds[secondOf(t)] = true, true, true
	}
	mean, sd := moments(since1970)
	c.Missing, c.Mean, c.SD = values.Len()-len(since1970), mean, 1
	if sd > 0 {
		c.SD = sd
	}
	p.tellDates(c)
	for _, p := range []struct {
		name   string
		differ bool
	}{{dataset.Elapsed, sd > 0 && c.Kind == dataset.Time}, {dataset.Season, len(yearDays) > 1},
		{dataset.Week, len(monthDays) > 1}, {dataset.Day, len(seconds) > 1}} {
		if p.differ {
			c.Parts = append(c.Parts, p.name)
		}
	}
}

func secondOf(t time.Time) int { return 3600*t.Hour() + 60*t.Minute() + t.Second() }

func (e *encoder) time(c *dataset.Column, text string) outcome {
	t, ok := Moment(c, text)
	if !ok {
		return odd
	}
	j := 0
	round := func(share float64) {
		sin, cos := math.Sincos(2 * math.Pi * share)
		e.put(j, mat.Real(math.Sqrt2*sin))
		e.put(j+1, mat.Real(math.Sqrt2*cos))
		j += 2
	}
	for _, part := range c.Parts {
		switch part {
		case dataset.Elapsed:
			e.put(j, mat.Real((float64(t.Unix())-c.Mean)/c.SD))
			j++
		case dataset.Season:
			round(float64(t.YearDay()-1) / 365.25)
		case dataset.Week:
			round(float64(t.Weekday()) / 7)
		case dataset.Day:
			round(float64(secondOf(t)) / 86400)
		}
	}
	return taken
}
