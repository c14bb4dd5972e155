package main

import (
	"fmt"
	"math/big"
	"regexp"

	inf "gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

// row is what Go says of one text.
type row struct {
	Input string `json:"input"`
	// Skipped tells why the library was not asked.
	Skipped string   `json:"skipped,omitempty"`
	Error   string   `json:"error,omitempty"`
	Answer  *answers `json:"answer,omitempty"`
	Pair    *pair    `json:"pair,omitempty"`
}

type answers struct {
	// Fresh is String() right after parsing: it may echo the input.
	Fresh string `json:"fresh"`
	// Canonical is String() of the same value without the remembered text.
	Canonical string `json:"canonical"`
	Format    string `json:"format"`
	Sign      int    `json:"sign"`
	// Value and Milli are the results of the methods, wrapped or not.
	Value int64 `json:"value"`
	Milli int64 `json:"milli"`
	// ExactValue and ExactMilli are the same, computed without bounds and rounded away from zero.
	ExactValue string `json:"exactValue"`
	ExactMilli string `json:"exactMilli"`
	Whole      bool   `json:"whole"`
	WholeMilli bool   `json:"wholeMilli"`
}

// pair relates the input to another text. Sum, Difference and Product are written as mantissa and power of ten.
type pair struct {
	With       string `json:"with"`
	Cmp        int    `json:"cmp"`
	Multiple   bool   `json:"multiple"`
	Sum        string `json:"sum"`
	Difference string `json:"difference"`
	Product    string `json:"product"`
}

// hostile finds exponents with which the library truncates, hangs or eats the memory.
var hostile = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{4,}$`)

func newRow(input, with string) row {
	if hostile.MatchString(input) {
		return row{Input: input, Skipped: "the library truncates such an exponent to 32 bits and may never return"}
	}
	quantity, err := resource.ParseQuantity(input)
	if err != nil {
		return row{Input: input, Error: err.Error()}
	}
	return row{Input: input, Answer: newAnswers(quantity), Pair: newPair(quantity, with)}
}

func newAnswers(quantity resource.Quantity) *answers {
	number, suffix := quantity.CanonicalizeBytes(nil)
	value, milli := quantity.Value(), quantity.MilliValue()
	fresh, sign := quantity.String(), quantity.Sign()
	exact := decimal(quantity)
	exactValue, whole := roundAt(exact, 0)
	exactMilli, wholeMilli := roundAt(exact, 3)
	return &answers{
		Fresh: fresh, Canonical: string(number) + string(suffix), Format: string(quantity.Format), Sign: sign,
		Value: value, Milli: milli, ExactValue: exactValue, ExactMilli: exactMilli, Whole: whole, WholeMilli: wholeMilli,
	}
}

// newPair is nil when the other text is no quantity.
func newPair(quantity resource.Quantity, with string) *pair {
	if hostile.MatchString(with) {
		return nil
	}
	other, err := resource.ParseQuantity(with)
	if err != nil {
		return nil
	}
	cmp := quantity.Cmp(other)
	left, right := decimal(quantity), decimal(other)
	return &pair{
		With: with, Cmp: cmp, Multiple: isMultiple(left, right),
		Sum:        plain(new(inf.Dec).Add(left, right)),
		Difference: plain(new(inf.Dec).Sub(left, right)),
		Product:    plain(new(inf.Dec).Mul(left, right)),
	}
}

// decimal copies the value, because AsDec changes its receiver.
func decimal(quantity resource.Quantity) *inf.Dec {
	copied := quantity.DeepCopy()
	return new(inf.Dec).Set(copied.AsDec())
}

// roundAt answers the value in units of 10^-places, rounded away from zero, and whether nothing was rounded.
func roundAt(value *inf.Dec, places inf.Scale) (string, bool) {
	rounded := new(inf.Dec).Round(value, places, inf.RoundUp)
	return rounded.UnscaledBig().String(), rounded.Cmp(value) == 0
}

func isMultiple(value, unit *inf.Dec) bool {
	if unit.Sign() == 0 {
		return value.Sign() == 0
	}
	scale := max(value.Scale(), unit.Scale())
	left := new(inf.Dec).Round(value, scale, inf.RoundExact).UnscaledBig()
	right := new(inf.Dec).Round(unit, scale, inf.RoundExact).UnscaledBig()
	return new(big.Int).Rem(left, right).Sign() == 0
}

func plain(value *inf.Dec) string {
	return fmt.Sprintf("%se%d", value.UnscaledBig().String(), -value.Scale())
}
