package kg

import "github.com/bloomgml/bloom/optim"

// rule is the optimiser of package optim.
func (o Optimizer) rule() optim.Rule { return []optim.Rule{optim.Adam, optim.Adagrad}[o] }

// word is the schedule of package optim.
func (s Schedule) word() optim.Schedule { return []optim.Schedule{optim.Constant, optim.Linear}[s] }
