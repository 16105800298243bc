package solve

import "math"

// Momentum is the momentum of accelerated gradients, FISTA (Beck and Teboulle 2009): a step starts from y = x + β (x −
// x before), with
//
//	β_l = (t_l − 1) / t_{l+1}     t_1 = 1     t_{l+1} = (1 + √(1 + 4t_l²)) / 2
//
// The zero value is the start of the sequence; resetting to it drops the momentum (O'Donoghue and Candès 2015).
type Momentum struct{ t float64 }

// Next returns the next β of β_1 = 0, β_2, …
func (m *Momentum) Next() float64 {
	t := max(m.t, 1)
	m.t = (1 + math.Sqrt(1+4*t*t)) / 2
	return (t - 1) / m.t
}
