package kernel

// Broadcast says how the second operand b of a rows×cols operation is stored.
type Broadcast uint8

const (
	Full     Broadcast = iota // rows×cols
	ByRow                     // 1×cols: the same for every row
	ByCol                     // rows×1: one number per row
	ByScalar                  // 1×1
)

// String returns the name of the form.
func (bc Broadcast) String() string {
	return [...]string{"full", "by row", "by column", "by scalar"}[bc]
}

// Expand is dst = b broadcast; dst is rows×cols.
//
//	dst[i,j] = b[i,j], b[j], b[i] or b[0]
func Expand(dst, b []Real, rows, cols int, bc Broadcast) {
	n := rows * cols
	switch bc {
	case Full:
		CopyCols(dst, n, b, n, 1, n)
	case ByRow:
		CopyCols(dst, cols, b, 0, rows, cols)
	case ByCol:
		expandJobs.run(rowChunks(rows, cols), expandJob{dst, b, rows, cols})
	case ByScalar:
		Fill(dst[:n], b[0])
	}
}

// expandJob is Expand with one number per row.
type expandJob struct {
	dst, b     []Real
	rows, cols int
}

var expandJobs jobs[expandJob, *expandJob]

func (j *expandJob) do(c int) {
	lo, hi := rowRange(c, j.rows, j.cols)
	for i := lo; i < hi; i++ {
		fillRange(j.dst[i*j.cols:(i+1)*j.cols], j.b[i])
	}
}
