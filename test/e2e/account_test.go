//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// kubeconfigOfInstalled writes the way to the cluster of the installed operator's
// service account. Whatever an operator of the tests does, it does under the
// chart's rights, and the audit log tells of it.
func kubeconfigOfInstalled(t *testing.T) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: installed.Namespace, Name: installed.Name}}
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](4 * 3600)}}
	must(t, cluster.SubResource("token").Create(t.Context(), account, token))

	config, err := ctrl.GetConfig()
	must(t, err)
	way := clientcmdapi.NewConfig()
	way.Clusters["cluster"] = &clientcmdapi.Cluster{
		Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData,
	}
	way.AuthInfos["operator"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	way.Contexts["operator"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "operator"}
	way.CurrentContext = "operator"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(*way, path))
	return path
}
