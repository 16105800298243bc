package format

import (
	"errors"

	"github.com/bloomgml/bloom/internal/fileerr"
)

// placed is err itself where it says which file is wrong, else the same with a place.
func placed(err error, with *fileerr.Error) error {
	var known *fileerr.Error
	if errors.As(err, &known) {
		return err
	}
	return with
}
