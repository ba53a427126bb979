//go:build integration

package integration

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Objects of others, which the policy leaves alone.
const (
	somePod manifest = `
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: team-a}
spec: {containers: [{name: a, image: a}]}
`
	someService manifest = `
apiVersion: v1
kind: Service
metadata: {name: plain, namespace: team-a}
spec: {ports: [{port: 80}]}
`
	someAccount manifest = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: plain, namespace: team-a}
`
	somePolicy manifest = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: plain, namespace: team-a}
spec: {podSelector: {}}
`
	someController manifest = `
apiVersion: v1
kind: ReplicationController
metadata: {name: plain, namespace: team-a}
spec:
  template: &template
    metadata: {labels: {app: plain}}
    spec: {containers: [{name: a, image: a}]}
`
	someDeployment manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: plain, namespace: team-a}
spec:
  selector: {matchLabels: {app: plain}}
  template:
    metadata: {labels: {app: plain}}
    spec: {containers: [{name: a, image: a}]}
`
	someJob manifest = `
apiVersion: batch/v1
kind: Job
metadata: {name: plain, namespace: team-a}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
`
	someCronJob manifest = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: plain, namespace: team-a}
spec:
  schedule: "0 0 * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
`
	someEndpoints manifest = `
apiVersion: v1
kind: Endpoints
metadata: {name: plain, namespace: team-a}
subsets: [{addresses: [{ip: 198.18.1.1}], ports: [{port: 80}]}]
`
	someSlice manifest = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: plain, namespace: team-a, labels: {kubernetes.io/service-name: plain}}
addressType: IPv4
endpoints: [{addresses: [198.18.1.1]}]
ports: [{port: 80}]
`
)

// The changes of a manifest that make it look like a trial's.
const (
	labelled     = "metadata: {labels: {hashmark.dev/component: generator}}"
	template     = "spec: {template: {metadata: {labels: {hashmark.dev/component: generator}}}}"
	jobTemplate  = "spec: {jobTemplate: {metadata: {labels: {hashmark.dev/trial-uid: a}}}}"
	cronTemplate = "spec: {jobTemplate: {spec: {template: {metadata: {labels: {hashmark.dev/trial-uid: a}}}}}}"
	named        = "metadata: {name: hm-0123456789}"
	replicaSetOf = "kind: ReplicaSet"
	daemonSetOf  = "kind: DaemonSet"
	statefulOf   = "{kind: StatefulSet, spec: {serviceName: plain}}"
)

// slicedAs is the change that gives an EndpointSlice to a Service.
func slicedAs(service string) string {
	return "metadata: {labels: {kubernetes.io/service-name: " + service + "}}"
}

func policyOnCreations(t *testing.T) {
	for name, test := range map[string]struct {
		by     string
		object manifest
		change string
		want   string
	}{
		"a user's own pod":                             {by: editor, object: somePod},
		"a user's own Service":                         {by: editor, object: someService},
		"a user's own ServiceAccount":                  {by: editor, object: someAccount},
		"a user's own NetworkPolicy":                   {by: editor, object: somePolicy},
		"a user's own ReplicationController":           {by: editor, object: someController},
		"a user's own Deployment":                      {by: editor, object: someDeployment},
		"a user's own ReplicaSet":                      {by: editor, object: someDeployment, change: replicaSetOf},
		"a user's own DaemonSet":                       {by: editor, object: someDeployment, change: daemonSetOf},
		"a user's own StatefulSet":                     {by: editor, object: someDeployment, change: statefulOf},
		"a user's own Job":                             {by: editor, object: someJob},
		"a user's own CronJob":                         {by: editor, object: someCronJob},
		"a user's own Endpoints":                       {by: editor, object: someEndpoints},
		"a user's own EndpointSlice":                   {by: editor, object: someSlice},
		"a Service that only begins like a trial's":    {by: editor, object: someSlice, change: slicedAs("hm-frontend")},
		"a Prometheus may scrape":                      {by: editor, object: somePod, change: `metadata: {labels: {hashmark.dev/metrics-scraper: "true"}}`},
		"a name that only begins like a trial's":       {by: editor, object: somePod, change: "metadata: {name: hm-frontend}"},
		"a name with more digits than a trial's":       {by: editor, object: somePod, change: "metadata: {name: hm-0123456789a}"},
		"a user can't label a pod":                     {editor, somePod, labelled, reserved},
		"a user can't label a Service":                 {editor, someService, labelled, reserved},
		"a user can't label a ServiceAccount":          {editor, someAccount, labelled, reserved},
		"a user can't label a NetworkPolicy":           {editor, somePolicy, labelled, reserved},
		"a user can't label a Deployment":              {editor, someDeployment, labelled, reserved},
		"a user can't label a Job":                     {editor, someJob, labelled, reserved},
		"a user can't take a pod's name":               {editor, somePod, "metadata: {name: hm-0123456789-5f6d8-x2v4z}", reserved},
		"a user can't take a Deployment's name":        {editor, someDeployment, named, reserved},
		"a user can't take a Job's name":               {editor, someJob, named, reserved},
		"a user can't take a Service's name":           {editor, someService, named, reserved},
		"a user can't take an account's name":          {editor, someAccount, named, reserved},
		"a user can't take a NetworkPolicy's name":     {editor, somePolicy, "metadata: {name: hm-0123456789-service}", reserved},
		"a user can't take the deny policy's name":     {editor, somePolicy, "metadata: {name: hm-0000000000-deny}", reserved},
		"a user can't add endpoints to a Service":      {editor, someSlice, slicedAs("hm-0123456789"), reserved},
		"a user can't take a slice's name":             {editor, someSlice, "metadata: {name: hm-0123456789-w7xk2}", reserved},
		"a user can't take the Endpoints' name":        {editor, someEndpoints, named, reserved},
		"a user can't generate a slice's name":         {editor, someSlice, "metadata: {name: null, generateName: hm-0123456789-}", reserved},
		"slices are mirrored":                          {by: mirror, object: someSlice, change: slicedAs("hm-0123456789")},
		"a user can't generate such a name":            {editor, somePod, "metadata: {name: null, generateName: hm-0123456789-}", reserved},
		"a user can't label the pods of a Deployment":  {editor, someDeployment, template, reserved},
		"a user can't label the pods of a ReplicaSet":  {editor, someDeployment, "{" + replicaSetOf + ", " + template + "}", reserved},
		"a user can't label the pods of a DaemonSet":   {editor, someDeployment, "{" + daemonSetOf + ", " + template + "}", reserved},
		"a user can't label the pods of a StatefulSet": {editor, someDeployment, "{kind: StatefulSet, " + template + "}", reserved},
		"a user can't label the pods of a Job":         {editor, someJob, template, reserved},
		"a user can't label the Jobs of a CronJob":     {editor, someCronJob, jobTemplate, reserved},
		"a user can't label the pods of a CronJob":     {editor, someCronJob, cronTemplate, reserved},
		"a user can't label the pods of a controller":  {editor, someController, template, reserved},
		"a controller without part in an attempt":      {stateful, somePod, labelled, reserved},
		"all controllers can have the same account":    {by: oneForAll, object: somePod, change: labelled},
		"an administrator is trusted":                  {by: administrator, object: somePod, change: labelled},
	} {
		t.Run(name, func(t *testing.T) {
			checkAnswer(t, as(t, test.by).Create(t.Context(), test.object.with(t, test.change), client.DryRunAll), test.want)
		})
	}
}

// The objects of the attempt that updates are about, as manifests to address them by.
const (
	servicePod   manifest = "{apiVersion: v1, kind: Pod, metadata: {name: hm-84181b74b0-5f6d8-x2v4z, namespace: team-a}}"
	generatorPod manifest = "{apiVersion: v1, kind: Pod, metadata: {name: hm-84181b74b0-k9q7c, namespace: team-a}}"
	deployment   manifest = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: hm-84181b74b0, namespace: team-a}}"
	replicas     manifest = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: hm-84181b74b0-5f6d8, namespace: team-a}}"
	job          manifest = "{apiVersion: batch/v1, kind: Job, metadata: {name: hm-84181b74b0, namespace: team-a}}"
	service      manifest = "{apiVersion: v1, kind: Service, metadata: {name: hm-84181b74b0, namespace: team-a}}"
	network      manifest = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: hm-84181b74b0-service, namespace: team-a}}"
	deny         manifest = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: hm-0000000000-deny, namespace: team-a}}"
	slice        manifest = "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: hm-84181b74b0-w7xk2, namespace: team-a}}"
	endpointsOf  manifest = "{apiVersion: v1, kind: Endpoints, metadata: {name: hm-84181b74b0, namespace: team-a}}"
	account      manifest = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: hm-666ff6ccaa, namespace: team-a}}"
)

func policyOnUpdates(t *testing.T) {
	for name, test := range map[string]struct {
		by          string
		object      manifest
		subresource string
		patch       string
		want        string
	}{
		"a user can't change a label":               {editor, generatorPod, "", `{"metadata":{"labels":{"hashmark.dev/attempt":"7"}}}`, spoils},
		"a user can't remove a label":               {editor, generatorPod, "", `{"metadata":{"labels":{"hashmark.dev/trial-uid":null}}}`, spoils},
		"a user can't add a label":                  {editor, generatorPod, "", `{"metadata":{"labels":{"hashmark.dev/other":"7"}}}`, spoils},
		"a user can't change a pod":                 {editor, servicePod, "", `{"spec":{"containers":[{"name":"login","image":"mine"}]}}`, spoils},
		"a user can't change a Deployment":          {editor, deployment, "", `{"spec":{"template":{"spec":{"containers":[{"name":"login","env":[{"name":"HASHMARK_COST","value":"4"}]}]}}}}`, spoils},
		"a user can't scale a Deployment":           {editor, deployment, "scale", `{"spec":{"replicas":7}}`, spoils},
		"a user can't scale a ReplicaSet":           {editor, replicas, "scale", `{"spec":{"replicas":7}}`, spoils},
		"a user can't suspend a Job":                {editor, job, "", `{"spec":{"suspend":true}}`, spoils},
		"a user can't redirect a Service":           {editor, service, "", `{"spec":{"selector":{"app":"mine"}}}`, spoils},
		"a user can't open a NetworkPolicy":         {editor, network, "", `{"spec":{"ingress":null}}`, spoils},
		"a user can't open the deny policy":         {editor, deny, "", `{"spec":{"egress":[{}]}}`, spoils},
		"a user can't let it select other pods":     {editor, deny, "", `{"spec":{"podSelector":{"matchLabels":{"app":"mine"},"matchExpressions":null}}}`, spoils},
		"a user can't hide it from the operator":    {editor, deny, "", `{"metadata":{"labels":{"hashmark.dev/component":null}}}`, spoils},
		"a user can't give it to an owner":          {editor, deny, "", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"mine","uid":"a"}]}}`, spoils},
		"a user can't keep it from being gone":      {editor, deny, "", `{"metadata":{"finalizers":["example.com/mine"]}}`, spoils},
		"a user can't take a ServiceAccount over":   {editor, account, "", `{"metadata":{"labels":{"hashmark.dev/experiment-uid":"a"}}}`, spoils},
		"a user can't orphan an object":             {editor, generatorPod, "", `{"metadata":{"ownerReferences":null}}`, spoils},
		"a user can't keep a pod from being gone":   {editor, generatorPod, "", `{"metadata":{"finalizers":["example.com/mine"]}}`, spoils},
		"a user can't debug a pod":                  {editor, generatorPod, "ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"debug","image":"mine"}]}}`, spoils},
		"a user can't resize a pod":                 {editor, servicePod, "resize", `{"spec":{"containers":[{"name":"login","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"2"}}}]}}`, spoils},
		"a Job can't lose its pod":                  {editor, generatorPod, "", `{"metadata":{"labels":{"batch.kubernetes.io/controller-uid":"a"}}}`, spoils},
		"a Job can't lose it by the old label":      {editor, generatorPod, "", `{"metadata":{"labels":{"controller-uid":"a"}}}`, spoils},
		"a Job can't lose it by its name":           {editor, generatorPod, "", `{"metadata":{"labels":{"batch.kubernetes.io/job-name":"a","job-name":"a"}}}`, spoils},
		"a ReplicaSet can't lose its pod":           {editor, servicePod, "", `{"metadata":{"labels":{"pod-template-hash":"a"}}}`, spoils},
		"a user can't move an endpoint":             {editor, slice, "", `{"endpoints":[{"addresses":["198.18.1.2"]}]}`, spoils},
		"a user can't change its port":              {editor, slice, "", `{"ports":[{"port":81}]}`, spoils},
		"a user can't take endpoints away":          {editor, slice, "", `{"metadata":{"labels":{"kubernetes.io/service-name":"plain"}}}`, spoils},
		"a user can't change Endpoints":             {editor, endpointsOf, "", `{"subsets":[{"addresses":[{"ip":"198.18.1.2"}],"ports":[{"port":80}]}]}`, spoils},
		"a user can't give a slice to a trial":      {editor, someSlice, "", `{"metadata":{"labels":{"kubernetes.io/service-name":"hm-84181b74b0"}}}`, reserved},
		"the endpoints' controller moves one":       {by: sliceMaker, object: slice, patch: `{"endpoints":[{"addresses":["198.18.1.2"]}]}`},
		"the controller of Endpoints moves one":     {by: endpoints, object: endpointsOf, patch: `{"subsets":[{"addresses":[{"ip":"198.18.1.2"}],"ports":[{"port":80}]}]}`},
		"a user's own endpoint can be moved":        {by: editor, object: someSlice, patch: `{"endpoints":[{"addresses":["198.18.1.2"]}]}`},
		"a user's own pod can change such labels":   {by: editor, object: somePod, patch: `{"metadata":{"labels":{"pod-template-hash":"a","job-name":"a"}}}`},
		"a user can let a pod go":                   {by: editor, object: generatorPod, patch: `{"metadata":{"finalizers":null}}`},
		"a user can annotate a pod":                 {by: editor, object: generatorPod, patch: `{"metadata":{"annotations":{"example.com/note":"a"}}}`},
		"a user can set a label of their own":       {by: editor, object: generatorPod, patch: `{"metadata":{"labels":{"example.com/team":"a"}}}`},
		"an autoscaler can't scale":                 {autoscaler, deployment, "scale", `{"spec":{"replicas":7}}`, spoils},
		"an autoscaler in the same account neither": {oneForAll, deployment, "scale", `{"spec":{"replicas":7}}`, spoils},
		"a user's own pod can't be labelled":        {editor, somePod, "", `{"metadata":{"labels":{"hashmark.dev/component":"generator"}}}`, reserved},
		"a user can't label the pods of their own":  {editor, someDeployment, "", `{"spec":{"template":{"metadata":{"labels":{"hashmark.dev/component":"generator"}}}}}`, reserved},
		"a user's own Deployment can change":        {by: editor, object: someDeployment, patch: `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"b"}]}}}}`},
		"a user's own Deployment can be scaled":     {by: editor, object: someDeployment, subresource: "scale", patch: `{"spec":{"replicas":7}}`},
		"the ReplicaSets' controller scales":        {by: deployments, object: replicas, patch: `{"spec":{"replicas":0}}`},
		"the ReplicaSet's controller adopts":        {by: replicaSets, object: servicePod, patch: `{"metadata":{"ownerReferences":null}}`},
		"the Job's controller adopts":               {by: jobs, object: generatorPod, patch: `{"metadata":{"ownerReferences":null}}`},
		"the garbage collector orphans":             {by: garbage, object: generatorPod, patch: `{"metadata":{"ownerReferences":null}}`},
		"an administrator can suspend a Job":        {by: administrator, object: job, patch: `{"spec":{"suspend":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			object, patch := test.object.with(t), client.RawPatch(types.StrategicMergePatchType, []byte(test.patch))
			var answer error
			if test.subresource == "" {
				answer = as(t, test.by).Patch(t.Context(), object, patch, client.DryRunAll)
			} else {
				answer = as(t, test.by).SubResource(test.subresource).Patch(t.Context(), object, patch, client.DryRunAll)
			}
			checkAnswer(t, answer, test.want)
		})
	}
}

func policyOnDeletions(t *testing.T) {
	orphan := client.PropagationPolicy(metav1.DeletePropagationOrphan)
	background, foreground := client.PropagationPolicy(metav1.DeletePropagationBackground), client.PropagationPolicy(metav1.DeletePropagationForeground)
	for name, test := range map[string]struct {
		by     string
		object manifest
		how    client.DeleteOption
		want   string
	}{
		"a user can delete a Job":                      {by: editor, object: job, how: background},
		"a user can delete a Job after its pods":       {by: editor, object: job, how: foreground},
		"a user can't leave its pods":                  {editor, job, orphan, leaves},
		"a user can't leave them by the old option":    {editor, deployment, &client.DeleteOptions{Raw: &metav1.DeleteOptions{OrphanDependents: ptr.To(true)}}, leaves},    //nolint:staticcheck // a client may still send it
		"a user can delete a Job by the old option":    {by: editor, object: job, how: &client.DeleteOptions{Raw: &metav1.DeleteOptions{OrphanDependents: ptr.To(false)}}}, //nolint:staticcheck // a client may still send it
		"a user can't leave them by default":           {editor, job, &client.DeleteOptions{}, leaves},
		"a user can delete a Deployment":               {by: editor, object: deployment, how: &client.DeleteOptions{}},
		"a user can't leave its ReplicaSet":            {editor, deployment, orphan, leaves},
		"a user can't leave a ReplicaSet's pods":       {editor, replicas, orphan, leaves},
		"a user can delete a pod":                      {by: editor, object: generatorPod, how: &client.DeleteOptions{}},
		"a user can leave the pods of a Deployment":    {by: editor, object: someDeployment, how: orphan},
		"the operator can delete a Job in any way":     {by: operator, object: job, how: orphan},
		"an administrator can leave the pods of a Job": {by: administrator, object: job, how: orphan},
	} {
		t.Run(name, func(t *testing.T) {
			checkAnswer(t, as(t, test.by).Delete(t.Context(), test.object.with(t), test.how, client.DryRunAll), test.want)
		})
	}
	t.Run("a user can't delete all Jobs without their pods", func(t *testing.T) {
		some := job.with(t)
		some.SetName("")
		checkAnswer(t, as(t, editor).DeleteAllOf(t.Context(), some, client.InNamespace("team-a"), orphan, client.DryRunAll), leaves)
		checkAnswer(t, as(t, editor).DeleteAllOf(t.Context(), some, client.InNamespace("team-a"), background, client.DryRunAll), "")
	})
}

func policyOnConnections(t *testing.T) {
	for name, test := range map[string]struct {
		by   string
		path string
		want string
	}{
		"a user can't run a command in a pod":     {editor, "pods/hm-84181b74b0-k9q7c/exec?command=k6", disturbs},
		"a user can't attach to a pod":            {editor, "pods/hm-84181b74b0-k9q7c/attach?stdout=true", disturbs},
		"a user can't forward a port":             {editor, "pods/hm-84181b74b0-5f6d8-x2v4z/portforward?ports=8080", disturbs},
		"a user can't reach a pod by a proxy":     {editor, "pods/hm-84181b74b0-5f6d8-x2v4z/proxy/login", disturbs},
		"a user can't name the pod's port":        {editor, "pods/hm-84181b74b0-5f6d8-x2v4z:8080/proxy/login", disturbs},
		"a user can't name the scheme":            {editor, "pods/http:hm-84181b74b0-5f6d8-x2v4z:8080/proxy/login", disturbs},
		"a user can't reach a Service by a proxy": {editor, "services/hm-84181b74b0:8080/proxy/login", disturbs},
		"a user's own pod can be reached":         {by: editor, path: "pods/plain/exec?command=k6"},
		"an administrator can run a command":      {by: administrator, path: "pods/hm-84181b74b0-k9q7c/exec?command=k6"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := connect(t, test.by, test.path)
			if test.want == "" && !strings.Contains(answer.Error(), "does not have a host assigned") {
				t.Errorf("refused: %v", answer)
			}
			if test.want != "" {
				checkAnswer(t, answer, test.want)
			}
		})
	}
}

// connect sends a request and returns the answer, which is always an error: no kubelet is
// there to be connected to.
func connect(t *testing.T, user, path string) error {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(configOf(user))
	if err != nil {
		t.Fatal(err)
	}
	return clientset.CoreV1().RESTClient().Post().RequestURI("/api/v1/namespaces/team-a/" + path).Do(t.Context()).Error()
}

// replicaSet returns what the Deployment's controller makes of it.
func replicaSet(deployment *unstructured.Unstructured) *unstructured.Unstructured {
	made := deployment.DeepCopy()
	made.SetKind("ReplicaSet")
	made.SetName(deployment.GetName() + "-5f6d8")
	for _, field := range []string{"strategy", "revisionHistoryLimit"} {
		unstructured.RemoveNestedField(made.Object, "spec", field)
	}
	return made
}

// pod returns a pod of an object's template.
func pod(of *unstructured.Unstructured, name string) *unstructured.Unstructured {
	made, _, _ := unstructured.NestedMap(of.Object, "spec", "template")
	found := &unstructured.Unstructured{Object: made}
	found.SetAPIVersion("v1")
	found.SetKind("Pod")
	found.SetName(name)
	found.SetNamespace(of.GetNamespace())
	found.SetOwnerReferences(of.GetOwnerReferences())
	found.SetFinalizers([]string{"batch.kubernetes.io/job-tracking"})
	return found
}
