package objects

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// ServiceAccount builds the account that an experiment's pods run as. It has no rights and no
// token. It exists so that pods do not use the namespace's default account, which may have
// rights.
func ServiceAccount(experiment *v1alpha1.SizingExperiment) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      ServiceAccountName(experiment.UID),
			Namespace: experiment.Namespace,
			Labels: map[string]string{
				v1alpha1.LabelExperimentUID: string(experiment.UID),
				v1alpha1.LabelExperiment:    experiment.Name,
			},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(experiment, v1alpha1.GroupVersion.WithKind("SizingExperiment")),
			},
		},
		AutomountServiceAccountToken: ptr.To(false),
	}
}

// Service builds the Service of the attempt's login pods.
func (a Attempt) Service() *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: a.metadata(Child(a.trial.UID, a.number), v1alpha1.ComponentService),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: a.ServiceSelector(),
			Ports: []corev1.ServicePort{{
				Name:       portName,
				Port:       Port,
				TargetPort: intstr.FromString(portName),
				Protocol:   corev1.ProtocolTCP,
			}},
			// A saturated pod must keep its share of the load. Without this, a pod that
			// becomes unready would move its share to the other pods, or lose it.
			PublishNotReadyAddresses: true,
		},
	}
}
