package train

import "strconv"

// Record is what is known about an epoch. Numbers that were not measured are NaN.
type Record struct {
	Epoch  int     // how many are done
	Loss   float64 // the mean of its batches, before their updates, with dropout
	Rate   float64 // of its first update
	Scores         // after its last update, without dropout
}

// appendJSON appends r as one line of JSON, with the metric under its name, in quotes, for the three parts of the data:
//
//	{"epoch":1,"loss":1.9,"rate":0.3,"train":{"accuracy":0.2},"valid":{…},"test":{…},"energy":{"start":10,"end":3}}
//
// Numbers that are not finite are left out: JSON has none.
func (r Record) appendJSON(b []byte, metric string) []byte {
	b = strconv.AppendInt(append(b, `{"epoch":`...), int64(r.Epoch), 10)
	b = appendNumber(b, "loss", r.Loss)
	b = appendNumber(b, "rate", r.Rate)
	for _, part := range [...]struct {
		name  string
		value float64
	}{{"train", r.Train}, {"valid", r.Valid}, {"test", r.Test}} {
		if isFinite(part.value) {
			b = append(append(append(b, `,"`...), part.name...), `":{`...)
			b = append(append(b, metric...), ':')
			b = append(strconv.AppendFloat(b, part.value, 'g', -1, 64), '}')
		}
	}
	if isFinite(r.Start) && isFinite(r.End) {
		b = strconv.AppendFloat(append(b, `,"energy":{"start":`...), r.Start, 'g', -1, 64)
		b = append(strconv.AppendFloat(append(b, `,"end":`...), r.End, 'g', -1, 64), '}')
	}
	return append(b, "}\n"...)
}

func appendNumber(b []byte, name string, v float64) []byte {
	if !isFinite(v) {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
