package kernel

// Maximum is the larger of two, NaN if either is; dst may be a or b.
//
//	dst[i] = max(a[i], b[i])
func Maximum(dst, a, b []Real) { runChoose(chooseJob{opMaximum, dst, a, b, nil}) }

// Minimum is the smaller of two, NaN if either is; dst may be a or b.
//
//	dst[i] = min(a[i], b[i])
func Minimum(dst, a, b []Real) { runChoose(chooseJob{opMinimum, dst, a, b, nil}) }

// GreaterMask is the derivative of Maximum to its first argument, times y; dst may be a, b or y.
//
//	dst[i] = y[i] if a[i] > b[i]; y[i]/2 if a[i] = b[i]; else 0
func GreaterMask(dst, a, b, y []Real) { runChoose(chooseJob{opGreater, dst, a, b, y}) }

// chooseOp is an operation that compares a with b.
type chooseOp uint8

const (
	opMaximum chooseOp = iota
	opMinimum
	opGreater
	numChoose
)

// chooseJob holds the arguments; y is nil except for greater.
type chooseJob struct {
	op           chooseOp
	dst, a, b, y []Real
}

var chooseJobs jobs[chooseJob, *chooseJob]

func runChoose(j chooseJob) {
	if chunks := entryChunks(len(j.dst)); chunks > 1 {
		chooseJobs.run(chunks, j)
	} else if chunks == 1 {
		j.do(0)
	}
}

func (j *chooseJob) do(c int) {
	lo, hi := entryRange(c, len(j.dst))
	var y []Real
	if j.y != nil {
		y = j.y[lo:hi]
	}
	dst, a, b := j.dst[lo:hi], j.a[lo:hi], j.b[lo:hi]
	if level := Active(); level != Portable {
		entryLevels[level].choose[j.op](entryPtr(dst), entryPtr(a), entryPtr(b), entryPtr(y), len(dst))
		return
	}
	choosePortable(j.op, dst, a, b, y)
}

func choosePortable(op chooseOp, dst, a, b, y []Real) {
	for i := range dst {
		switch op {
		case opMaximum:
			dst[i] = preferred(a[i] > b[i], a[i], b[i])
		case opMinimum:
			dst[i] = preferred(a[i] < b[i], a[i], b[i])
		case opGreater:
			switch {
			case a[i] > b[i]:
				dst[i] = y[i]
			case a[i] == b[i]:
				dst[i] = y[i] / 2
			default:
				dst[i] = 0
			}
		}
	}
}

// preferred returns a where c holds or a is NaN, else b.
func preferred(c bool, a, b Real) Real {
	if c || a != a {
		return a
	}
	return b
}
