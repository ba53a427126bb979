# shellcheck shell=bash
# The callers of the API server: a CA, and a certificate and a kubeconfig for each caller.
#
# The keys are for one throw-away cluster on one machine. They are created and removed with the
# cluster, and only root can read them.

# make_certificates creates the PKI and the kubeconfigs.
make_certificates() {
  local number
  mkdir -m 0700 "$PKI" "$KUBECONFIGS"
  make_authority
  make_certificate apiserver "/CN=kube-apiserver" \
    "subjectAltName=IP:$API_ADDRESS,IP:$API_SERVICE_ADDRESS,IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  make_key service-account
  openssl pkey -in "$PKI/service-account.key" -pubout -out "$PKI/service-account.pub"
  make_certificate kubelet-client "/O=system:masters/CN=kube-apiserver-kubelet-client"
  make_caller admin "/O=system:masters/CN=hashmark-admin"
  make_caller kube-controller-manager "/CN=system:kube-controller-manager"
  make_caller kube-scheduler "/CN=system:kube-scheduler"
  make_caller kube-proxy "/CN=system:kube-proxy"
  make_caller kube-router "/CN=system:kube-router"
  for number in $(node_numbers); do
    make_caller "$(node_name "$number")" "/O=system:nodes/CN=system:node:$(node_name "$number")"
  done
  cp "$KUBECONFIGS/admin" "$ADMIN_KUBECONFIG"
}

# make_authority creates the CA certificate.
make_authority() {
  make_key ca
  openssl req -x509 -new -key "$PKI/ca.key" -days 3650 -subj "/CN=hashmark-cluster" \
    -addext "keyUsage=critical,keyCertSign,digitalSignature" -out "$PKI/ca.crt"
}

make_key() {
  (umask 077 && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$PKI/$1.key" 2>/dev/null)
}

# make_certificate NAME SUBJECT [EXTENSION] signs a certificate for one caller
# or server.
make_certificate() {
  local extensions="extendedKeyUsage=clientAuth,serverAuth"
  [[ $# -lt 3 ]] || extensions+=$'\n'"$3"
  make_key "$1"
  openssl req -new -key "$PKI/$1.key" -subj "$2" |
    openssl x509 -req -days 3650 -CA "$PKI/ca.crt" -CAkey "$PKI/ca.key" -CAcreateserial \
      -extfile <(printf '%s\n' "$extensions") -out "$PKI/$1.crt" 2>/dev/null
}

# make_caller NAME SUBJECT creates a certificate and a kubeconfig that contains it, so that a
# copy of the file works anywhere on this machine.
make_caller() {
  make_certificate "$1" "$2"
  (umask 077 && cat >"$KUBECONFIGS/$1") <<YAML
apiVersion: v1
kind: Config
clusters:
- name: hashmark
  cluster:
    server: $API_URL
    certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")
users:
- name: $1
  user:
    client-certificate-data: $(base64 -w0 "$PKI/$1.crt")
    client-key-data: $(base64 -w0 "$PKI/$1.key")
contexts:
- name: hashmark
  context:
    cluster: hashmark
    user: $1
current-context: hashmark
YAML
}
