package dataset

import (
	"math"
	"strconv"
	"time"
)

// Events are the edges of a graph in time: event i goes from Source[i] to Target[i] at Time[i].
type Events struct {
	Source, Target []int32
	Time           []float64 // never descending, in the unit of the file; of dates, seconds since 1970
	Dates          bool      // whether the file has dates
}

// When returns a time as it is written in the file: a number, or a date.
func (e *Events) When(t float64) string {
	if !e.Dates {
		return strconv.FormatFloat(t, 'f', -1, 64)
	}
	return time.UnixMilli(int64(math.Round(t * 1e3))).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}
