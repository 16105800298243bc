package solve

// Problem is a smooth convex function F, or several of them side by side that share ∇² ("columns"), with x, the
// residual r = −∇F(x) and a direction p in memory of its own. P is its preconditioner, positive; every method sees one
// Column for each of its columns.
type Problem interface {
	// Turn is p ← P⁻¹r + βp. It sets Slope.
	Turn(c []Column) error
	// Curve sets Curve.
	Curve(c []Column) error
	// Move is x ← x + αp and r ← −∇F(x). It sets Size and Cross, and reports whether all columns are solved.
	Move(c []Column) (solved bool, err error)
}

// Column holds the numbers of the recurrence of one column.
type Column struct {
	Size  float64 // ⟨r, P⁻¹r⟩
	Cross float64 // ⟨r, P⁻¹(r − r before the move)⟩, which is Size where F is quadratic
	Beta  float64 // how much of the last direction is kept
	Slope float64 // ⟨r, p⟩, which is Size where F is quadratic
	Curve float64 // ⟨p, ∇²F p⟩, or a bound of it all along p
	Alpha float64 // how far to go along p
}

// End is why a solve ended.
type End string

// The ends.
const (
	Solved    End = "solved"
	Exhausted End = "the limit on steps was reached"
	Flat      End = "the curvature is not positive"
)

// Conjugate takes at most most steps of conjugate gradients from the current point of p. The caller must set Size of
// the columns.
//
// Overview: preconditioned conjugate gradients of Polak and Ribière (1969), restarted where they turn back; for a
// quadratic F this is the method of Hestenes and Stiefel (1952).
//
//	p ← P⁻¹r + βp     α = ⟨r, p⟩ / ⟨p, ∇²F p⟩     x ← x + αp     β = max(0, ⟨r′, P⁻¹(r′ − r)⟩ / ⟨r, P⁻¹r⟩)
//
// Where Curve bounds the curvature, F never rises. A column with r = 0 stays where it is.
func Conjugate(p Problem, c []Column, most int) (steps int, end End, err error) {
	for j := range c {
		c[j].Beta = 0
	}
	for ; steps < most; steps++ {
		if err := turn(p, c); err != nil {
			return steps, "", err
		}
		if err := p.Curve(c); err != nil {
			return steps, "", err
		}
		flat := true
		for j := range c {
			c[j].Alpha = ratio(c[j].Slope, c[j].Curve)
			c[j].Beta = c[j].Size // of before the move
			flat = flat && !(c[j].Curve > 0)
		}
		if flat {
			return steps, Flat, nil
		}
		solved, err := p.Move(c)
		if err != nil {
			return steps, "", err
		}
		if solved {
			return steps + 1, Solved, nil
		}
		for j := range c {
			c[j].Beta = max(0, ratio(c[j].Cross, c[j].Beta))
		}
	}
	return steps, Exhausted, nil
}

// turn moves p to the next direction, or to the steepest one if all columns would go back.
func turn(p Problem, c []Column) error {
	if err := p.Turn(c); err != nil {
		return err
	}
	for j := range c {
		if !(c[j].Slope <= 0) {
			return nil
		}
	}
	for j := range c {
		c[j].Beta = 0
	}
	return p.Turn(c)
}

// ratio returns a/b, 0 for a column that has converged.
func ratio(a, b float64) float64 {
	if b > 0 {
		return a / b
	}
	return 0
}
