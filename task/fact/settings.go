package fact

import (
	"errors"
	"fmt"

	"github.com/bloomgml/bloom/config"
	"github.com/bloomgml/bloom/internal/kg"
	"github.com/bloomgml/bloom/internal/path"
	"github.com/bloomgml/bloom/train"
)

// pathOf translates c for package path. The error is a *train.BadSetting.
func pathOf(c config.Config) (path.Config, error) {
	l := c.Facts
	p := path.Config{Message: path.Message(l.Message), Aggregate: path.Aggregate(l.Aggregate),
		Relations: path.Relations(l.Relations),
		Removal:   path.Removal(l.Removal), Hidden: c.Model.Hidden, Layers: c.Model.Layers, Batch: l.Batch,
		Negatives: l.Negatives, Keep: l.Keep, Send: l.Send, Against: path.Against(l.Against), Layered: l.Layers == "own",
		Temperature: l.Temperature, Seed: c.Train.Seed}
	if p.Keep > 0 && p.Aggregate != path.Sum && p.Message == path.RotatE {
		return p, &train.BadSetting{Key: "link.keep", Value: fmt.Sprint(p.Keep),
			Want: "0 where messages of rotate are added up by pna"}
	}
	if p.Send > p.Keep {
		return p, &train.BadSetting{Key: "link.send", Value: fmt.Sprint(p.Send), Want: "at most link.keep"}
	}
	if p.Keep == 0 && p.Against == path.Everything {
		return p, &train.BadSetting{Key: "link.against", Value: l.Against, Want: "drawn unless link.keep is above 0"}
	}
	if p.Message == path.RotatE && p.Hidden%2 != 0 {
		return p, &train.BadSetting{Key: "model.hidden", Value: fmt.Sprint(p.Hidden),
			Want: "an even number for rotate: half of the columns are imaginary parts"}
	}
	return p, nil
}

// refactor translates c for the RefactorGNN of package path.
func refactor(c config.Config) path.RefactorConfig {
	l := c.Facts
	return path.RefactorConfig{Hidden: c.Model.Hidden, Layers: c.Model.Layers, Step: l.Step, Decay: l.Decay,
		Noise: l.Noise, Reset: l.Reset,
		Seed: c.Train.Seed}
}

// keyOf maps the keys in errors of package kg to keys of configs.
var keyOf = map[string]string{
	"dim": "model.hidden", "batch": "link.batch", "negatives": "link.negatives", "negatives shared": "link.shared",
	"dropout": "model.dropout", "penalty": "link.penalty", "model": "link.distance", "reciprocal": "link.reciprocal",
	"bilevel gamma": "energy.descent.gamma", "bilevel steps": "energy.steps", "bilevel negatives": "link.beside",
	"bilevel block": "link.block",
}

// named returns err with the config's key instead of package kg's.
func named(err error) error {
	var bad *kg.Bad
	if errors.As(err, &bad) && keyOf[bad.Key] != "" {
		return &train.BadSetting{Key: keyOf[bad.Key], Value: fmt.Sprint(bad.Value), Want: "another: it " + bad.Reason}
	}
	return err
}
