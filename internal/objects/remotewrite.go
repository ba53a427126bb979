package objects

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// RemoteWrite is a receiver of Prometheus' remote-write protocol. Create one with
// NewRemoteWrite.
type RemoteWrite struct {
	// URL of the receiver, http or https, with a port or the scheme's default port.
	URL string
	// SecretName is the name of a Secret in each experiment's own namespace that holds the
	// credentials. Pods refer to it and the operator never reads it. Empty if the receiver
	// needs no credentials.
	SecretName string
}

// NewRemoteWrite checks the address that k6 sends its own series to. It returns nil if the
// address is empty. Everyone who can read a Job can also read the address, so an address that
// could contain a secret is refused. Errors are sentences that do not repeat the address.
func NewRemoteWrite(address, secretName string) (*RemoteWrite, error) {
	if address == "" {
		if secretName != "" {
			return nil, errors.New("the Secret is set without a remote-write URL; set the URL, or remove the Secret")
		}
		return nil, nil
	}
	if _, err := receiverAt(address); err != nil {
		return nil, err
	}
	if secretName != "" {
		if problems := validation.IsDNS1123Subdomain(secretName); len(problems) > 0 {
			return nil, fmt.Errorf("invalid Secret name %q: %s", secretName, strings.Join(problems, "; "))
		}
	}
	return &RemoteWrite{URL: address, SecretName: secretName}, nil
}

type receiver struct {
	// ip is invalid if the address is a name.
	ip   netip.Addr
	name string
	port int32
	tls  bool
}

func receiverAt(address string) (receiver, error) {
	// The parser's error is not reported, because it quotes the address.
	parsed, err := url.Parse(address)
	switch {
	case err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https"):
		return receiver{}, errors.New("invalid remote-write URL; use one such as http://prometheus.monitoring.svc:9090/api/v1/write")
	case parsed.User != nil:
		return receiver{}, errors.New("the remote-write URL contains credentials; put them into a Secret and set its name")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return receiver{}, errors.New("the remote-write URL has a query or a fragment, which everyone who can read a Job could read; remove it, and put credentials into a Secret")
	}
	to := receiver{tls: parsed.Scheme == "https"}
	if to.port, err = portOf(parsed); err != nil {
		return receiver{}, err
	}
	host := strings.ToLower(parsed.Hostname())
	if to.ip, err = netip.ParseAddr(host); err == nil {
		to.ip = to.ip.Unmap()
	} else {
		to.name = strings.TrimSuffix(host, ".")
	}
	return to, to.check()
}

func portOf(address *url.URL) (int32, error) {
	text := address.Port()
	if text == "" {
		text = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("the port of the remote-write URL must be between 1 and 65535")
	}
	return int32(port), nil
}

// check returns an error for hosts that can't be reached from a pod.
func (r receiver) check() error {
	switch {
	case r.ip.IsLoopback() || r.ip.IsUnspecified() || r.name == "localhost":
		return errors.New("the remote-write URL points to the load generator's own pod; use an address of the receiver that pods can reach")
	case r.ip.Zone() != "" || r.ip.IsMulticast():
		return errors.New("the remote-write URL has a link-local or multicast address; use one that every node can reach")
	case !r.ip.IsValid() && len(validation.IsDNS1123Subdomain(r.name)) > 0:
		return errors.New("the host of the remote-write URL is neither an IP address nor a DNS name")
	}
	return nil
}

// namespace returns the namespace of the Service in the name, in the forms
// service.namespace.svc and service.namespace.svc.cluster.local, or of a pod below it. It
// returns "" for any other name.
func (r receiver) namespace() string {
	inCluster, found := strings.CutSuffix(strings.TrimSuffix(r.name, ".cluster.local"), ".svc")
	dot := strings.LastIndexByte(inCluster, '.')
	if !found || dot < 1 {
		return ""
	}
	return inCluster[dot+1:]
}
