// Package inspect takes an energy apart on a small random graph: its formula and the layer that follows from it, its
// gradient against finite differences, how long a step may be, and the energy step by step.
package inspect
