package history

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
)

// What a fact says of how it reads is how it reads, whatever is in it.
func FuzzReadBack(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for range 20 {
			for _, fact := range readables() {
				readsBack(t, fact, rand.New(rand.NewPCG(seed, 1)))
				seed++
			}
		}
	})
}

func readables() []Fact {
	return []Fact{&StepStarted{}, &Judged{}, &AttemptStarted{}, &AttemptEnded{}, &Accounted{}, &StepCompleted{}}
}

// readsBack fills a fact, and reports whether it knows how it reads.
func readsBack(t *testing.T, fact Fact, random *rand.Rand) bool {
	t.Helper()
	fill(reflect.ValueOf(fact).Elem(), random)
	known := fact.(readable).readBack()
	if known == nil {
		return false
	}
	encoded, err := Located{Fact: fact}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(record.Record{Fact: encoded})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, known) {
		t.Fatalf("%s\nreads otherwise (-read +said):\n%s", encoded.Data, cmp.Diff(read, known))
	}
	return true
}

// All of them mostly know how they read, so that what is tested is what
// happens.
func TestReadBackKnows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range readables() {
		knows := 0
		for range 3000 {
			if readsBack(t, readables()[n], random) {
				knows++
			}
		}
		if knows < 20 {
			t.Errorf("%T: %d of 3000", readables()[n], knows)
		}
	}
}

// fill gives every exported field a value that is likely to make a difference.
func fill(v reflect.Value, random *rand.Rand) {
	switch v.Kind() {
	case reflect.String:
		texts := []string{"", "", "text", "text", "<&>\u2028\x00\"\\", "zwölf", "bad \xff", "\xed\xa0\x80"}
		v.SetString(texts[random.IntN(len(texts)-2*min(1, random.IntN(8)))])
	case reflect.Int, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 1_000_000, 1_234_567_891, -1_999_999}[random.IntN(6)])
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.1, -1e300, 5e-324, 1 << 60}[random.IntN(5)])
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), random)
			}
		}
	case reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), random)
		}
	case reflect.Slice:
		if n := max(-1, random.IntN(9)-6); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(v.Index(i), random)
			}
		} else if random.IntN(2) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	case reflect.Map:
		if random.IntN(2) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range max(0, random.IntN(9)-6) {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(key, random)
				fill(value, random)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Interface: // an error
		if random.IntN(4) == 0 {
			v.Set(reflect.ValueOf([]error{errors.New("no"), &gate.TimeoutError{Limit: time.Second},
				&gate.PanicError{Value: "oh"}}[random.IntN(3)]))
		}
	}
}
