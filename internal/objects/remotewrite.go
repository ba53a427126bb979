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

// RemoteWrite is a receiver of Prometheus' remote write protocol. Make one with
// NewRemoteWrite.
type RemoteWrite struct {
	// URL of the receiver, http or https, with a port or the scheme's own.
	URL string
	// SecretName is the Secret, in each experiment's own namespace, that holds
	// the credentials. Pods take them by reference and the operator never reads
	// them. Empty where the receiver asks for none.
	SecretName string
}

// NewRemoteWrite checks where k6's own series shall go; it is nil without an
// address. Whoever may read a Job reads the address too, so that one which could
// hold a secret is refused. Errors are sentences that do not repeat it.
func NewRemoteWrite(address, secretName string) (*RemoteWrite, error) {
	if address == "" {
		if secretName != "" {
			return nil, errors.New("a Secret of credentials without the URL that they are for; name the receiver's URL, or leave the Secret out")
		}
		return nil, nil
	}
	if _, err := receiverAt(address); err != nil {
		return nil, err
	}
	if secretName != "" {
		if problems := validation.IsDNS1123Subdomain(secretName); len(problems) > 0 {
			return nil, fmt.Errorf("the Secret's name %q can't be one: %s", secretName, strings.Join(problems, "; "))
		}
	}
	return &RemoteWrite{URL: address, SecretName: secretName}, nil
}

// receiver is what an address of a receiver means to a network.
type receiver struct {
	// ip is invalid where the address is a name.
	ip   netip.Addr
	name string
	port int32
	tls  bool
}

func receiverAt(address string) (receiver, error) {
	// What the parser finds wrong is not told: it quotes what it choked on.
	parsed, err := url.Parse(address)
	switch {
	case err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https"):
		return receiver{}, errors.New("the remote write URL is none; write one such as http://prometheus.monitoring.svc:9090/api/v1/write")
	case parsed.User != nil:
		return receiver{}, errors.New("the remote write URL holds credentials; put them into a Secret, and name that")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return receiver{}, errors.New("the remote write URL ends in a query or a fragment, which would stand in every Job for all to read; leave it out, and put credentials into a Secret")
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
	written := address.Port()
	if written == "" {
		written = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	port, err := strconv.ParseUint(written, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("the remote write URL's port must lie between 1 and 65535")
	}
	return int32(port), nil
}

// check refuses hosts that can't be reached from a pod.
func (r receiver) check() error {
	switch {
	case r.ip.IsLoopback() || r.ip.IsUnspecified() || r.name == "localhost":
		return errors.New("the remote write URL leads a generator's pod to itself; name the receiver as pods reach it")
	case r.ip.Zone() != "" || r.ip.IsMulticast():
		return errors.New("the remote write URL's address is of one link or of many hosts; name one that every node can reach")
	case !r.ip.IsValid() && len(validation.IsDNS1123Subdomain(r.name)) > 0:
		return errors.New("the remote write URL's host is neither an IP address nor a DNS name")
	}
	return nil
}

// namespace is that of the Service which the name is of, in the forms
// service.namespace.svc and service.namespace.svc.cluster.local, or a pod's below
// it. It is empty where the name could be anybody's.
func (r receiver) namespace() string {
	inCluster, found := strings.CutSuffix(strings.TrimSuffix(r.name, ".cluster.local"), ".svc")
	dot := strings.LastIndexByte(inCluster, '.')
	if !found || dot < 1 {
		return ""
	}
	return inCluster[dot+1:]
}
