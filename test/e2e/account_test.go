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

// kubeconfigOfInstalled writes a kubeconfig with the service account of the installed
// operator. An operator of the tests then has the chart's rights, and its requests are in the
// audit log.
func kubeconfigOfInstalled(t *testing.T) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: installed.Namespace, Name: installed.Name}}
	token := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](4 * 3600)}}
	must(t, cluster.SubResource("token").Create(t.Context(), account, token))

	config, err := ctrl.GetConfig()
	must(t, err)
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters["cluster"] = &clientcmdapi.Cluster{
		Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData,
	}
	kubeconfig.AuthInfos["operator"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	kubeconfig.Contexts["operator"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "operator"}
	kubeconfig.CurrentContext = "operator"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(*kubeconfig, path))
	return path
}
