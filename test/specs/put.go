package specs

import (
	"maps"
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Steps of a path that have no name: any item of a list, and any entry of a map.
const item, entry = "[]", "{}"

type (
	// absence removes a field.
	absence struct{}
	// repetition fills a list with copies of its first entry.
	repetition int
)

// put returns a node with a value at the end of a path. It adds what is missing on the way. A
// node that an earlier change gave another type is left alone.
func put(node any, path []string, value any, random *rand.Rand) any {
	if len(path) == 0 {
		return result(node, value)
	}
	switch path[0] {
	case item:
		return putItem(node, path[1:], value, random)
	case entry:
		return putField(node, anyKey(node, random), path[1:], value, random)
	default:
		return putField(node, path[0], path[1:], value, random)
	}
}

// result returns what replaces a node.
func result(node, value any) any {
	times, repeats := value.(repetition)
	if !repeats {
		return copied(value)
	}
	list, _ := node.([]any)
	if len(list) == 0 {
		list = []any{map[string]any{}}
	}
	var filled []any
	for range int(times) {
		filled = append(filled, copied(list[0]))
	}
	return filled
}

func copied(value any) any {
	if _, absent := value.(absence); absent {
		return value
	}
	return runtime.DeepCopyJSONValue(value)
}

func putItem(node any, rest []string, value any, random *rand.Rand) any {
	list, is := node.([]any)
	if !is && node != nil {
		return node
	}
	if len(list) == 0 {
		list = []any{nil}
	}
	i := random.IntN(len(list))
	list[i] = put(list[i], rest, value, random)
	if list[i] == (absence{}) {
		return slices.Delete(list, i, i+1)
	}
	return list
}

func putField(node any, name string, rest []string, value any, random *rand.Rand) any {
	fields, is := node.(map[string]any)
	if !is && node != nil {
		return node
	}
	if fields == nil {
		fields = map[string]any{}
	}
	fields[name] = put(fields[name], rest, value, random)
	if fields[name] == (absence{}) {
		delete(fields, name)
	}
	return fields
}

// anyKey returns a key of a map, and a new one if it has none.
func anyKey(node any, random *rand.Rand) string {
	fields, _ := node.(map[string]any)
	if len(fields) == 0 {
		return "key"
	}
	keys := slices.Sorted(maps.Keys(fields))
	return keys[random.IntN(len(keys))]
}
