package recipe

import (
	"fmt"
	"strings"

	"github.com/bloomgml/bloom/energy"
)

// kind is the name of a penalty without its threshold, which is t.
func kind(p energy.Penalty) (name, t string) {
	name, t, _ = strings.Cut(p.Name, "(")
	return name, strings.TrimSuffix(t, ")")
}

// rho is ρ(z) times a letter, "" for none.
func rho(p energy.Penalty, letter, z string) string {
	space := ""
	if letter != "" {
		space = " "
	}
	switch name, _ := kind(p); name {
	case "half-squared":
		if letter == "" {
			return fmt.Sprintf("½ ‖%s‖²", z)
		}
		return fmt.Sprintf("%s/2 ‖%s‖²", letter, z)
	case "squared":
		return fmt.Sprintf("%s%s‖%s‖²", letter, space, z)
	case "log-cosh":
		return fmt.Sprintf("%s%sΣ log cosh(%s)", letter, space, z)
	case "huber":
		return fmt.Sprintf("%s%sδ(%s)", letter, space, z)
	}
	return fmt.Sprintf("%s%sρ(%s)", letter, space, z)
}

// phi is ρ′(z).
func phi(p energy.Penalty, z string) string {
	switch name, t := kind(p); name {
	case "half-squared":
		return "(" + z + ")"
	case "squared":
		return "2 (" + z + ")"
	case "log-cosh":
		return "tanh(" + z + ")"
	case "huber":
		return fmt.Sprintf("clip(%s, ±%s)", z, t)
	case "smooth-l1":
		return fmt.Sprintf("clip((%s)/%s, ±1)", z, t)
	}
	return "ρ′(" + z + ")"
}

// about says what a penalty is, where its letter does not.
func about(p energy.Penalty) []string {
	switch name, t := kind(p); name {
	case "half-squared", "squared", "log-cosh":
		return nil
	case "huber":
		return []string{"δ Huber with threshold " + t}
	case "smooth-l1":
		return []string{fmt.Sprintf("ρ(z) = Σ z²/%g where |z| < %s, else |z| − %s/2", 2*number(t), t, t)}
	case "charbonnier":
		return []string{fmt.Sprintf("ρ(z) = Σ √(z² + %s²) − %s", t, t), fmt.Sprintf("ρ′(z) = z/√(z² + %s²)", t)}
	case "welsch":
		return []string{fmt.Sprintf("ρ(z) = Σ %s²/2 (1 − exp(−z²/%s²))", t, t), fmt.Sprintf("ρ′(z) = z exp(−z²/%s²)", t)}
	}
	return []string{"ρ " + p.Name}
}

// number reads a threshold.
func number(t string) float64 {
	var v float64
	fmt.Sscan(t, &v)
	return v
}
