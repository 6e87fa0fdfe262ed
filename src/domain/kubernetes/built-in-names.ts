/** A resource as kubectl finds it by a name without a group. */
export interface KubectlNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
}

/** The resources that an api-server serves by itself, with those of metrics-server: `Kind plural [short names]`. The singular is the kind in lower case. */
const RESOURCES = `
APIService apiservices
Binding bindings
CertificateSigningRequest certificatesigningrequests csr
ClusterRole clusterroles
ClusterRoleBinding clusterrolebindings
ClusterTrustBundle clustertrustbundles
ComponentStatus componentstatuses cs
ConfigMap configmaps cm
ControllerRevision controllerrevisions
CronJob cronjobs cj
CSIDriver csidrivers
CSINode csinodes
CSIStorageCapacity csistoragecapacities
CustomResourceDefinition customresourcedefinitions crd crds
DaemonSet daemonsets ds
Deployment deployments deploy
DeviceClass deviceclasses
DeviceTaintRule devicetaintrules
Endpoints endpoints ep
EndpointSlice endpointslices
Event events ev
FlowSchema flowschemas
HorizontalPodAutoscaler horizontalpodautoscalers hpa
Ingress ingresses ing
IngressClass ingressclasses
IPAddress ipaddresses ip
Job jobs
Lease leases
LeaseCandidate leasecandidates
LimitRange limitranges limits
LocalSubjectAccessReview localsubjectaccessreviews
MutatingAdmissionPolicy mutatingadmissionpolicies
MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings
MutatingWebhookConfiguration mutatingwebhookconfigurations
Namespace namespaces ns
NetworkPolicy networkpolicies netpol
Node nodes no
NodeMetrics nodes
PersistentVolume persistentvolumes pv
PersistentVolumeClaim persistentvolumeclaims pvc
Pod pods po
PodCertificateRequest podcertificaterequests
PodDisruptionBudget poddisruptionbudgets pdb
PodMetrics pods
PodTemplate podtemplates
PriorityClass priorityclasses pc
PriorityLevelConfiguration prioritylevelconfigurations
ReplicaSet replicasets rs
ReplicationController replicationcontrollers rc
ResourceClaim resourceclaims
ResourceClaimTemplate resourceclaimtemplates
ResourceQuota resourcequotas quota
ResourceSlice resourceslices
Role roles
RoleBinding rolebindings
RuntimeClass runtimeclasses
Secret secrets
SelfSubjectAccessReview selfsubjectaccessreviews
SelfSubjectReview selfsubjectreviews
SelfSubjectRulesReview selfsubjectrulesreviews
Service services svc
ServiceAccount serviceaccounts sa
ServiceCIDR servicecidrs
StatefulSet statefulsets sts
StorageClass storageclasses sc
StorageVersion storageversions
StorageVersionMigration storageversionmigrations
SubjectAccessReview subjectaccessreviews
TokenReview tokenreviews
ValidatingAdmissionPolicy validatingadmissionpolicies
ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings
ValidatingWebhookConfiguration validatingwebhookconfigurations
VolumeAttachment volumeattachments
VolumeAttributesClass volumeattributesclasses vac
`;

/** The names of the kinds of Kubernetes itself. */
export const BUILT_IN_NAMES: readonly KubectlNames[] = RESOURCES.trim()
  .split('\n')
  .map((row) => {
    const [kind = '', plural = '', ...shortNames] = row.split(' ');
    return { kind, plural, singular: kind.toLowerCase(), shortNames };
  });
