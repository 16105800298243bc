package mat

// Seed is a number that random operations depend on, in the memory of a Device: operations that were recorded once draw
// other numbers after Set. It begins as 0.
type Seed struct{ placed }

// NewSeed returns a Seed on the default device.
func NewSeed() *Seed {
	dev := Default()
	return &Seed{placed{dev, dev.Seed()}}
}

// Set makes v the number.
func (s *Seed) Set(v uint64) { s.dev.UpdateSeed(s.buf, v) }

// cpuSeed is the number itself.
type cpuSeed uint64

func (*cpuSeed) Len() int { return 1 }

func (cpu) Seed() Buffer                  { return new(cpuSeed) }
func (cpu) UpdateSeed(s Buffer, v uint64) { *s.(*cpuSeed) = cpuSeed(v) }
