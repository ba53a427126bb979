package cli

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// mostCompanions is the API's limit.
	mostCompanions = 3
	// jdbc is before the URL of a database for a program in Java.
	jdbc = "jdbc:"
)

// dependencies are what services depend on, by the scheme of the URLs that name them, with the usual port.
var dependencies = map[string]struct {
	name string
	port int32
}{
	"postgres": {"postgres", 5432}, "postgresql": {"postgres", 5432}, "mysql": {"mysql", 3306}, "mariadb": {"mysql", 3306},
	"mongodb": {"mongodb", 27017}, "redis": {"redis", 6379}, "valkey": {"redis", 6379}, "memcached": {"memcached", 11211}, "amqp": {"rabbitmq", 5672},
}

// addCompanions adds a companion for each dependency whose URL is a variable of the service, and lets the variable name it. What a
// Deployment does not say, such as the companion's image, is left to do.
func addCompanions(own *v1beta1.OwnService) (left []string) {
	for i := range own.Env {
		v := &own.Env[i]
		address, err := url.Parse(strings.TrimPrefix(v.Value, jdbc))
		if err != nil || address.Host == "" {
			continue
		}
		scheme, _, _ := strings.Cut(address.Scheme, "+") // as in postgresql+psycopg
		known, is := dependencies[scheme]
		if !is {
			continue
		}
		port := known.port
		if given, err := strconv.ParseInt(address.Port(), 10, 32); err == nil {
			port = int32(given)
		}
		named := func(c v1beta1.Companion) bool { return c.Name == known.name }
		switch at := slices.IndexFunc(own.Companions, named); {
		case at >= 0 && own.Companions[at].Port != port, at < 0 && len(own.Companions) == mostCompanions, port < 1024:
			left = append(left, fmt.Sprintf("- Describe a companion for what env %s refers to, if a login needs it.", v.Name))
			continue
		case at < 0:
			own.Companions = append(own.Companions, v1beta1.Companion{
				Name: known.name, Image: "registry.example/your/" + known.name, Command: []string{"/path/to/" + known.name}, Port: port,
			})
			left = append(left, fmt.Sprintf("- Fill in image, command and writable of companion %s, to which env %s refers, and how its tables and accounts get there; or remove it, if a login does not need it.", known.name, v.Name))
		}
		// In the text itself, because a URL escapes references such as $(PASSWORD).
		before := "//"
		if address.User != nil {
			before = "@"
		}
		v.Value = strings.Replace(v.Value, before+address.Host, before+net.JoinHostPort(known.name, strconv.Itoa(int(port))), 1)
	}
	return left
}
