package plan

import "reflect"

// deepCopy copies a value with all that it points to. It serves the model, which is made of structs,
// slices, pointers and plain values.
func deepCopy[T any](of *T) *T {
	to := new(T)
	*to = deepCopyOf(*of)
	return to
}

func deepCopyOf[T any](of T) T {
	copyInside(reflect.ValueOf(&of).Elem())
	return of
}

// copyInside replaces what v shares with others by copies.
func copyInside(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			copyInside(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Slice && k != reflect.Pointer {
			return
		}
		for i := range v.Len() {
			copyInside(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		copyInside(fresh.Elem())
		v.Set(fresh)
	}
}
