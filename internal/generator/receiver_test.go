//go:build k6

package generator_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"

	"github.com/klauspost/compress/snappy"
	"google.golang.org/protobuf/encoding/protowire"
)

// staleBits are the bits of the value that ends a series in Prometheus.
const staleBits = 0x7ff0000000000002

// series is a series that k6 sent, with its labels and its last value.
type series struct {
	labels map[string]string
	last   float64
}

func (s series) name() string { return s.labels["__name__"] }

func (s series) ended() bool { return math.Float64bits(s.last) == staleBits }

// receiver accepts remote write like Prometheus. It reads the few fields of the messages by
// number (prompb/types.proto), because Prometheus' own types would add a hundred modules.
type receiver struct {
	mutex   sync.Mutex
	series  map[string]series
	headers []http.Header
	problem error
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.headers = append(r.headers, request.Header)
	if err := r.take(request.Body); err != nil {
		r.problem = err
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) take(body io.Reader) error {
	compressed, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	message, err := snappy.Decode(nil, compressed)
	if err != nil {
		return err
	}
	return fields(message, func(number protowire.Number, value []byte, _ uint64) error {
		if number != 1 { // WriteRequest.timeseries
			return nil
		}
		got := series{labels: map[string]string{}}
		err := fields(value, got.take)
		if r.series == nil {
			r.series = map[string]series{}
		}
		r.series[fmt.Sprint(got.labels)] = got
		return err
	})
}

// take reads a field of a TimeSeries.
func (s *series) take(number protowire.Number, value []byte, _ uint64) error {
	switch number {
	case 1: // labels
		var label [3]string
		err := fields(value, func(number protowire.Number, value []byte, _ uint64) error {
			label[number] = string(value)
			return nil
		})
		if _, twice := s.labels[label[1]]; twice {
			return fmt.Errorf("label %s is set twice", label[1])
		}
		s.labels[label[1]] = label[2]
		return err
	case 2: // samples
		return fields(value, func(number protowire.Number, _ []byte, bits uint64) error {
			if number == 1 {
				s.last = math.Float64frombits(bits)
			}
			return nil
		})
	}
	return nil
}

// fields calls each with the fields of a message: bytes, or the bits of a number.
func fields(message []byte, each func(number protowire.Number, value []byte, bits uint64) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		var value []byte
		var bits uint64
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		case protowire.Fixed64Type:
			bits, n = protowire.ConsumeFixed64(message)
		case protowire.VarintType:
			bits, n = protowire.ConsumeVarint(message)
		default:
			return errors.New("a field of an unknown kind")
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if err := each(number, value, bits); err != nil {
			return err
		}
	}
	return nil
}
