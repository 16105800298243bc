package link

import "github.com/bloomgml/bloom/internal/kg"

// Fact is a fact by names.
type Fact = kg.Fact

// Settle says how new entities find their place. The zero value is ten steps.
type Settle = kg.Settle
