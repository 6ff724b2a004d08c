package main

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// generateDaemonSet writes an agent as the controller manager would leave it
// after a finished rollout, so that it finds nothing to do: ServiceAccount,
// ClusterRole and binding, DaemonSet, its one revision, one pod for each node.
func (p *plan) generateDaemonSet(d daemonSetPlan, add func(kind, string, object)) {
	add(kindServiceAccount, join(d.Namespace, d.ServiceAccount), &corev1.ServiceAccount{
		ObjectMeta: p.meta(kindServiceAccount, d.Namespace, d.ServiceAccount),
	})
	role := "agent:" + d.Namespace + ":" + d.Name
	add(kindClusterRole, role, &rbacv1.ClusterRole{ObjectMeta: p.meta(kindClusterRole, "", role), Rules: d.Rules})
	add(kindClusterRoleBinding, role, &rbacv1.ClusterRoleBinding{
		ObjectMeta: p.meta(kindClusterRoleBinding, "", role),
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: d.Namespace, Name: d.ServiceAccount}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	})

	labels := map[string]string{"app": d.Name}
	template := podTemplate(labels, d.Image)
	template.Spec.ServiceAccountName = d.ServiceAccount
	template.Spec.DeprecatedServiceAccount = d.ServiceAccount
	set := p.daemonSet(d, labels, template)
	add(kindDaemonSet, join(d.Namespace, d.Name), set)

	hash := suffix(p.source(kindControllerRevision, join(d.Namespace, d.Name)))
	revision := p.revision(set, hash)
	add(kindControllerRevision, join(d.Namespace, revision.Name), revision)
	if p.OmitPodsOfAgents {
		return
	}
	for i := range p.Nodes {
		pod := p.pod(d.Namespace, fmt.Sprintf("%s-%s", d.Name, fmt.Sprintf("%05d", i)), nodeName(i), template)
		pod.Labels["controller-revision-hash"] = hash
		pod.Labels["pod-template-generation"] = "1"
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
		pinToNode(pod, nodeName(i))
		add(kindPod, join(pod.Namespace, pod.Name), pod)
	}
}

func (p *plan) daemonSet(d daemonSetPlan, labels map[string]string, template corev1.PodTemplateSpec) *appsv1.DaemonSet {
	meta := p.meta(kindDaemonSet, d.Namespace, d.Name)
	meta.Generation = 1
	meta.Annotations = map[string]string{"deprecated.daemonset.template.generation": "1"}
	unavailable, surge := intstr.Parse(d.MaxUnavailable), intstr.FromInt32(0)
	set := &appsv1.DaemonSet{
		ObjectMeta: meta,
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: template,
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{
				Type:          appsv1.RollingUpdateDaemonSetStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &unavailable, MaxSurge: &surge},
			},
			RevisionHistoryLimit: new(int32(10)),
		},
	}
	if !p.OmitPodsOfAgents {
		n := int32(p.Nodes)
		set.Status = appsv1.DaemonSetStatus{
			CurrentNumberScheduled: n, DesiredNumberScheduled: n, NumberReady: n,
			NumberAvailable: n, UpdatedNumberScheduled: n, ObservedGeneration: 1,
		}
	}
	return set
}

// revision is the ControllerRevision of the current template. The controller
// compares its bytes with those it would write itself, and rolls every pod when
// they differ. Until 1.33 these held a null creationTimestamp of the template.
// Source: kubernetes pkg/controller/daemon/update.go, v1.37.2.
func (p *plan) revision(set *appsv1.DaemonSet, hash string) *appsv1.ControllerRevision {
	template := asMap(set.Spec.Template)
	template["$patch"] = "replace"
	if p.KubernetesMinor > 0 && p.KubernetesMinor <= 33 {
		template["metadata"].(map[string]any)["creationTimestamp"] = nil
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": template}})
	if err != nil {
		panic(err) // a map of our own making
	}
	meta := p.meta(kindControllerRevision, set.Namespace, set.Name+"-"+hash)
	meta.Labels = map[string]string{"controller-revision-hash": hash}
	for key, value := range set.Spec.Template.Labels {
		meta.Labels[key] = value
	}
	meta.Annotations = set.Annotations
	meta.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
	return &appsv1.ControllerRevision{ObjectMeta: meta, Revision: 1, Data: runtime.RawExtension{Raw: patch}}
}

func asMap(template corev1.PodTemplateSpec) map[string]any {
	raw, err := json.Marshal(template)
	if err != nil {
		panic(err) // an API type always encodes
	}
	decoded := map[string]any{}
	if err := json.Unmarshal(raw, &decoded); err != nil {
		panic(err)
	}
	return decoded
}
