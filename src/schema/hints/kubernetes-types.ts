import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';

/**
 * What fields of Kubernetes hold that charts hand on from their values, and of the custom resources that many charts write. A line is a type and its
 * fields: `name` is a text, `name:int` has another type, `name=A|B` is a choice; `[]` behind a type is a list of it, `{}` a map. What is not listed stays
 * possible everywhere, as one of the other fields. A test holds every line against the OpenAPI document of an api-server.
 */
const TABLE = `
ObjectMeta: name namespace labels:text{} annotations:text{}
LabelSelector: matchLabels:text{} matchExpressions:LabelSelectorRequirement[]
LabelSelectorRequirement: key operator=In|NotIn|Exists|DoesNotExist values:text[]
LocalObjectReference: name
SecretKeySelector: name key optional:bool
ConfigMapKeySelector: name key optional:bool
ObjectFieldSelector: fieldPath apiVersion
ResourceFieldSelector: resource containerName divisor:amount
TypedLocalObjectReference: apiGroup kind name

PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
PodSpec: containers:Container[] initContainers:Container[] volumes:Volume[] nodeSelector:text{} affinity:Affinity tolerations:Toleration[] topologySpreadConstraints:TopologySpreadConstraint[] imagePullSecrets:LocalObjectReference[] securityContext:PodSecurityContext serviceAccountName automountServiceAccountToken:bool priorityClassName priority:int runtimeClassName schedulerName hostNetwork:bool hostPID:bool hostIPC:bool hostUsers:bool dnsPolicy=ClusterFirst|ClusterFirstWithHostNet|Default|None dnsConfig:PodDNSConfig hostAliases:HostAlias[] restartPolicy=Always|OnFailure|Never terminationGracePeriodSeconds:int activeDeadlineSeconds:int enableServiceLinks:bool shareProcessNamespace:bool readinessGates:PodReadinessGate[] hostname subdomain nodeName preemptionPolicy=PreemptLowerPriority|Never
PodReadinessGate: conditionType
PodDNSConfig: nameservers:text[] searches:text[] options:PodDNSConfigOption[]
PodDNSConfigOption: name value
HostAlias: ip hostnames:text[]
Toleration: key operator=Equal|Exists value effect=NoSchedule|PreferNoSchedule|NoExecute tolerationSeconds:int
TopologySpreadConstraint: maxSkew:int topologyKey whenUnsatisfiable=DoNotSchedule|ScheduleAnyway labelSelector:LabelSelector minDomains:int matchLabelKeys:text[] nodeAffinityPolicy=Honor|Ignore nodeTaintsPolicy=Honor|Ignore
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
NodeSelector: nodeSelectorTerms:NodeSelectorTerm[]
NodeSelectorTerm: matchExpressions:NodeSelectorRequirement[]
NodeSelectorRequirement: key operator=In|NotIn|Exists|DoesNotExist|Gt|Lt values:text[]
PreferredSchedulingTerm: weight:int preference:NodeSelectorTerm
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodAffinityTerm: topologyKey labelSelector:LabelSelector namespaces:text[]
WeightedPodAffinityTerm: weight:int podAffinityTerm:PodAffinityTerm
PodSecurityContext: runAsUser:int runAsGroup:int runAsNonRoot:bool fsGroup:int fsGroupChangePolicy=OnRootMismatch|Always supplementalGroups:int[] seccompProfile:SeccompProfile sysctls:Sysctl[] seLinuxOptions:SELinuxOptions
SecurityContext: runAsUser:int runAsGroup:int runAsNonRoot:bool privileged:bool allowPrivilegeEscalation:bool readOnlyRootFilesystem:bool capabilities:Capabilities seccompProfile:SeccompProfile seLinuxOptions:SELinuxOptions procMount
Capabilities: add:text[] drop:text[]
SeccompProfile: type=RuntimeDefault|Unconfined|Localhost localhostProfile
SELinuxOptions: user role type level
Sysctl: name value

Container: name image imagePullPolicy=IfNotPresent|Always|Never command:text[] args:text[] workingDir env:EnvVar[] envFrom:EnvFromSource[] ports:ContainerPort[] resources:ResourceRequirements volumeMounts:VolumeMount[] livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle securityContext:SecurityContext restartPolicy terminationMessagePath terminationMessagePolicy=File|FallbackToLogsOnError stdin:bool tty:bool
ResourceRequirements: limits:amount{} requests:amount{}
VolumeResourceRequirements: requests:amount{} limits:amount{}
EnvVar: name value valueFrom:EnvVarSource
EnvVarSource: secretKeyRef:SecretKeySelector configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
EnvFromSource: prefix configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
ConfigMapEnvSource: name optional:bool
SecretEnvSource: name optional:bool
ContainerPort: name containerPort:port hostPort:port hostIP protocol=TCP|UDP|SCTP
VolumeMount: name mountPath subPath subPathExpr readOnly:bool mountPropagation=None|HostToContainer|Bidirectional
Probe: httpGet:HTTPGetAction tcpSocket:TCPSocketAction exec:ExecAction grpc:GRPCAction initialDelaySeconds:int periodSeconds:int timeoutSeconds:int successThreshold:int failureThreshold:int terminationGracePeriodSeconds:int
HTTPGetAction: path port:intstr scheme=HTTP|HTTPS host httpHeaders:HTTPHeader[]
HTTPHeader: name value
TCPSocketAction: port:intstr host
ExecAction: command:text[]
GRPCAction: port:port service
SleepAction: seconds:int
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction

Volume: name emptyDir:EmptyDirVolumeSource configMap:ConfigMapVolumeSource secret:SecretVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource hostPath:HostPathVolumeSource projected:ProjectedVolumeSource csi:CSIVolumeSource nfs:NFSVolumeSource ephemeral:EphemeralVolumeSource downwardAPI:DownwardAPIVolumeSource
EmptyDirVolumeSource: medium sizeLimit:amount
ConfigMapVolumeSource: name items:KeyToPath[] optional:bool defaultMode:int
SecretVolumeSource: secretName items:KeyToPath[] optional:bool defaultMode:int
KeyToPath: key path mode:int
PersistentVolumeClaimVolumeSource: claimName readOnly:bool
HostPathVolumeSource: path type
ProjectedVolumeSource: sources:VolumeProjection[] defaultMode:int
VolumeProjection: secret:SecretProjection configMap:ConfigMapProjection serviceAccountToken:ServiceAccountTokenProjection downwardAPI:DownwardAPIProjection
SecretProjection: name items:KeyToPath[] optional:bool
ConfigMapProjection: name items:KeyToPath[] optional:bool
ServiceAccountTokenProjection: path audience expirationSeconds:int
DownwardAPIProjection: items:DownwardAPIVolumeFile[]
DownwardAPIVolumeSource: items:DownwardAPIVolumeFile[]
DownwardAPIVolumeFile: path fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
CSIVolumeSource: driver readOnly:bool fsType volumeAttributes:text{} nodePublishSecretRef:LocalObjectReference
NFSVolumeSource: server path readOnly:bool
EphemeralVolumeSource: volumeClaimTemplate:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec: accessModes:text[] storageClassName resources:VolumeResourceRequirements selector:LabelSelector volumeName volumeMode=Filesystem|Block dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference volumeAttributesClassName
TypedObjectReference: apiGroup kind name namespace

Pod: metadata:ObjectMeta spec:PodSpec
Deployment: metadata:ObjectMeta spec:DeploymentSpec
DeploymentSpec: replicas:int selector:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy minReadySeconds:int revisionHistoryLimit:int progressDeadlineSeconds:int paused:bool
DeploymentStrategy: type=RollingUpdate|Recreate rollingUpdate:RollingUpdateDeployment
RollingUpdateDeployment: maxUnavailable:intstr maxSurge:intstr
StatefulSet: metadata:ObjectMeta spec:StatefulSetSpec
StatefulSetSpec: replicas:int serviceName selector:LabelSelector template:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:PersistentVolumeClaim[] podManagementPolicy=OrderedReady|Parallel minReadySeconds:int revisionHistoryLimit:int persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
StatefulSetUpdateStrategy: type=RollingUpdate|OnDelete rollingUpdate:RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy: partition:int maxUnavailable:intstr
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted=Retain|Delete whenScaled=Retain|Delete
DaemonSet: metadata:ObjectMeta spec:DaemonSetSpec
DaemonSetSpec: selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy minReadySeconds:int revisionHistoryLimit:int
DaemonSetUpdateStrategy: type=RollingUpdate|OnDelete rollingUpdate:RollingUpdateDaemonSet
RollingUpdateDaemonSet: maxUnavailable:intstr maxSurge:intstr
Job: metadata:ObjectMeta spec:JobSpec
JobSpec: template:PodTemplateSpec backoffLimit:int activeDeadlineSeconds:int ttlSecondsAfterFinished:int parallelism:int completions:int suspend:bool completionMode=NonIndexed|Indexed
CronJob: metadata:ObjectMeta spec:CronJobSpec
CronJobSpec: schedule timeZone jobTemplate:JobTemplateSpec concurrencyPolicy=Allow|Forbid|Replace suspend:bool startingDeadlineSeconds:int successfulJobsHistoryLimit:int failedJobsHistoryLimit:int
JobTemplateSpec: metadata:ObjectMeta spec:JobSpec

PersistentVolumeClaim: metadata:ObjectMeta spec:PersistentVolumeClaimSpec
Service: metadata:ObjectMeta spec:ServiceSpec
ServiceSpec: type=ClusterIP|NodePort|LoadBalancer|ExternalName ports:ServicePort[] selector:text{} clusterIP clusterIPs:text[] externalIPs:text[] loadBalancerIP loadBalancerClass loadBalancerSourceRanges:text[] externalName externalTrafficPolicy=Cluster|Local internalTrafficPolicy=Cluster|Local sessionAffinity=None|ClientIP sessionAffinityConfig:SessionAffinityConfig ipFamilies:text[] ipFamilyPolicy=SingleStack|PreferDualStack|RequireDualStack healthCheckNodePort:port publishNotReadyAddresses:bool allocateLoadBalancerNodePorts:bool trafficDistribution
ServicePort: name port:port targetPort:intstr nodePort:port protocol=TCP|UDP|SCTP appProtocol
SessionAffinityConfig: clientIP:ClientIPConfig
ClientIPConfig: timeoutSeconds:int
ServiceAccount: metadata:ObjectMeta automountServiceAccountToken:bool imagePullSecrets:LocalObjectReference[]
ConfigMap: metadata:ObjectMeta data:text{} binaryData:text{} immutable:bool
Secret: metadata:ObjectMeta type data:text{} stringData:text{} immutable:bool
Namespace: metadata:ObjectMeta
ResourceQuota: metadata:ObjectMeta spec:ResourceQuotaSpec
ResourceQuotaSpec: hard:amount{} scopes:text[]

Ingress: metadata:ObjectMeta spec:IngressSpec
IngressSpec: ingressClassName rules:IngressRule[] tls:IngressTLS[] defaultBackend:IngressBackend
IngressRule: host http:HTTPIngressRuleValue
HTTPIngressRuleValue: paths:HTTPIngressPath[]
HTTPIngressPath: path pathType=Prefix|Exact|ImplementationSpecific backend:IngressBackend
IngressBackend: service:IngressServiceBackend resource:TypedLocalObjectReference
IngressServiceBackend: name port:ServiceBackendPort
ServiceBackendPort: name number:port
IngressTLS: hosts:text[] secretName
IngressClass: metadata:ObjectMeta spec:IngressClassSpec
IngressClassSpec: controller
NetworkPolicy: metadata:ObjectMeta spec:NetworkPolicySpec
NetworkPolicySpec: podSelector:LabelSelector policyTypes:text[] ingress:NetworkPolicyIngressRule[] egress:NetworkPolicyEgressRule[]
NetworkPolicyIngressRule: from:NetworkPolicyPeer[] ports:NetworkPolicyPort[]
NetworkPolicyEgressRule: to:NetworkPolicyPeer[] ports:NetworkPolicyPort[]
NetworkPolicyPeer: podSelector:LabelSelector namespaceSelector:LabelSelector ipBlock:IPBlock
NetworkPolicyPort: port:intstr endPort:port protocol=TCP|UDP|SCTP
IPBlock: cidr except:text[]
PodDisruptionBudget: metadata:ObjectMeta spec:PodDisruptionBudgetSpec
PodDisruptionBudgetSpec: minAvailable:intstr maxUnavailable:intstr selector:LabelSelector unhealthyPodEvictionPolicy=IfHealthyBudget|AlwaysAllow
HorizontalPodAutoscaler: metadata:ObjectMeta spec:HorizontalPodAutoscalerSpec
HorizontalPodAutoscalerSpec: minReplicas:int maxReplicas:int metrics:MetricSpec[] behavior:HorizontalPodAutoscalerBehavior scaleTargetRef:CrossVersionObjectReference
CrossVersionObjectReference: apiVersion kind name
MetricSpec: type=Resource|ContainerResource|Pods|Object|External resource:ResourceMetricSource containerResource:ContainerResourceMetricSource pods:PodsMetricSource object:ObjectMetricSource external:ExternalMetricSource
ResourceMetricSource: name target:MetricTarget
ContainerResourceMetricSource: name container target:MetricTarget
PodsMetricSource: metric:MetricIdentifier target:MetricTarget
ObjectMetricSource: describedObject:CrossVersionObjectReference metric:MetricIdentifier target:MetricTarget
ExternalMetricSource: metric:MetricIdentifier target:MetricTarget
MetricIdentifier: name selector:LabelSelector
MetricTarget: type=Utilization|Value|AverageValue averageUtilization:int averageValue:amount value:amount
HorizontalPodAutoscalerBehavior: scaleUp:HPAScalingRules scaleDown:HPAScalingRules
HPAScalingRules: stabilizationWindowSeconds:int selectPolicy=Max|Min|Disabled policies:HPAScalingPolicy[]
HPAScalingPolicy: type=Pods|Percent value:int periodSeconds:int
Role: metadata:ObjectMeta rules:PolicyRule[]
ClusterRole: metadata:ObjectMeta rules:PolicyRule[]
PolicyRule: apiGroups:text[] resources:text[] verbs:text[] resourceNames:text[] nonResourceURLs:text[]
RoleBinding: metadata:ObjectMeta roleRef:RoleRef subjects:Subject[]
ClusterRoleBinding: metadata:ObjectMeta roleRef:RoleRef subjects:Subject[]
RoleRef: apiGroup kind name
Subject: kind name namespace apiGroup
StorageClass: metadata:ObjectMeta provisioner parameters:text{} reclaimPolicy=Delete|Retain volumeBindingMode=Immediate|WaitForFirstConsumer allowVolumeExpansion:bool mountOptions:text[]
PriorityClass: metadata:ObjectMeta value:int globalDefault:bool description preemptionPolicy=PreemptLowerPriority|Never
MutatingWebhookConfiguration: metadata:ObjectMeta webhooks:MutatingWebhook[]
ValidatingWebhookConfiguration: metadata:ObjectMeta webhooks:ValidatingWebhook[]
MutatingWebhook: name namespaceSelector:LabelSelector objectSelector:LabelSelector failurePolicy=Fail|Ignore timeoutSeconds:int matchPolicy=Exact|Equivalent reinvocationPolicy=Never|IfNeeded sideEffects=None|NoneOnDryRun admissionReviewVersions:text[]
ValidatingWebhook: name namespaceSelector:LabelSelector objectSelector:LabelSelector failurePolicy=Fail|Ignore timeoutSeconds:int matchPolicy=Exact|Equivalent sideEffects=None|NoneOnDryRun admissionReviewVersions:text[]
`;

/** The same for kinds that no api-server has by itself, but many charts write. */
const CUSTOM = `
ServiceMonitor: metadata:ObjectMeta spec:ServiceMonitorSpec
ServiceMonitorSpec: jobLabel selector:LabelSelector namespaceSelector:MonitorNamespaces endpoints:MonitorEndpoint[] podTargetLabels:text[] targetLabels:text[] sampleLimit:int
PodMonitor: metadata:ObjectMeta spec:PodMonitorSpec
PodMonitorSpec: jobLabel selector:LabelSelector namespaceSelector:MonitorNamespaces podMetricsEndpoints:MonitorEndpoint[] podTargetLabels:text[] sampleLimit:int
MonitorNamespaces: any:bool matchNames:text[]
MonitorEndpoint: port targetPort:intstr path scheme interval scrapeTimeout honorLabels:bool honorTimestamps:bool params:text[]{} tlsConfig:MonitorTLS bearerTokenFile authorization:MonitorAuthorization basicAuth:MonitorBasicAuth relabelings:RelabelConfig[] metricRelabelings:RelabelConfig[] followRedirects:bool enableHttp2:bool
MonitorAuthorization: type credentials:SecretKeySelector
MonitorBasicAuth: username:SecretKeySelector password:SecretKeySelector
MonitorTLS: serverName insecureSkipVerify:bool ca:SecretOrConfigMap cert:SecretOrConfigMap keySecret:SecretKeySelector caFile certFile keyFile
SecretOrConfigMap: secret:SecretKeySelector configMap:ConfigMapKeySelector
RelabelConfig: action=replace|keep|drop|labelmap|labeldrop|labelkeep|hashmod|lowercase|uppercase|keepequal|dropequal sourceLabels:text[] separator regex targetLabel replacement modulus:int
PrometheusRule: metadata:ObjectMeta spec:PrometheusRuleSpec
PrometheusRuleSpec: groups:RuleGroup[]
RuleGroup: name interval rules:AlertingRule[]
AlertingRule: alert record expr:intstr for keep_firing_for labels:text{} annotations:text{}
HTTPRoute: metadata:ObjectMeta spec:HTTPRouteSpec
HTTPRouteSpec: hostnames:text[] parentRefs:ParentReference[] rules:HTTPRouteRule[]
ParentReference: name namespace sectionName kind group port:port
HTTPRouteRule: name matches:HTTPRouteMatch[] filters:HTTPRouteFilter[] backendRefs:BackendReference[] timeouts:HTTPRouteTimeouts
HTTPRouteTimeouts: request backendRequest
HTTPRouteMatch: path:RoutePathMatch method headers:RouteHeaderMatch[] queryParams:RouteHeaderMatch[]
RoutePathMatch: type=PathPrefix|Exact|RegularExpression value
RouteHeaderMatch: type=Exact|RegularExpression name value
HTTPRouteFilter: type=RequestHeaderModifier|ResponseHeaderModifier|RequestRedirect|URLRewrite|RequestMirror|ExtensionRef requestHeaderModifier:RouteHeaderModifier responseHeaderModifier:RouteHeaderModifier requestRedirect:RouteRedirect urlRewrite:RouteRewrite extensionRef:RouteExtension
RouteHeaderModifier: set:HTTPHeader[] add:HTTPHeader[] remove:text[]
RouteRedirect: scheme hostname port:port statusCode:int path:RoutePathModifier
RouteRewrite: hostname path:RoutePathModifier
RoutePathModifier: type=ReplaceFullPath|ReplacePrefixMatch replaceFullPath replacePrefixMatch
RouteExtension: group kind name
BackendReference: name namespace kind group port:port weight:int
PodSettings: nodeSelector:text{} tolerations:Toleration[] topologySpreadConstraints:TopologySpreadConstraint[] securityContext:PodSecurityContext serviceAccountName automountServiceAccountToken:bool priorityClassName runtimeClassName schedulerName hostNetwork:bool hostPID:bool hostIPC:bool hostUsers:bool dnsPolicy dnsConfig:PodDNSConfig hostAliases:HostAlias[] restartPolicy terminationGracePeriodSeconds:int activeDeadlineSeconds:int enableServiceLinks:bool shareProcessNamespace:bool hostname subdomain nodeName
AnySecurityContext: runAsUser:int runAsGroup:int runAsNonRoot:bool fsGroup:int fsGroupChangePolicy=OnRootMismatch|Always supplementalGroups:int[] privileged:bool allowPrivilegeEscalation:bool readOnlyRootFilesystem:bool capabilities:Capabilities seccompProfile:SeccompProfile seLinuxOptions:SELinuxOptions sysctls:Sysctl[]
AnyUpdateStrategy: type=RollingUpdate|Recreate|OnDelete rollingUpdate:AnyRollingUpdate
AnyRollingUpdate: maxUnavailable:intstr maxSurge:intstr partition:int
Manifest: apiVersion kind metadata:ObjectMeta
`;

/** What rejects nothing: charts write texts with templates in them where Kubernetes wants numbers. */
const SCALARS: Readonly<Record<string, JsonObject>> = {
  text: { type: 'string' },
  bool: { type: 'boolean' },
  int: { type: ['integer', 'string'] },
  port: { type: ['integer', 'string'] },
  intstr: { type: ['integer', 'string'] },
  amount: { type: ['number', 'string'] },
};

interface Field {
  readonly type: string;
  readonly choices?: readonly string[];
}

const FIELDS: ReadonlyMap<string, ReadonlyMap<string, Field>> = parseTable(`${TABLE}\n${CUSTOM}`);
const known = new Map<string, JsonObject>();

/**
 * The schema of a type of Kubernetes, by the names of the table: `Toleration[]`, `text{}`. It describes and never restricts.
 *
 * @returns undefined for a type that is not in the table.
 */
export function kubernetesType(type: string): JsonObject | undefined {
  const made = known.get(type) ?? makeType(type);
  if (made !== undefined) known.set(type, made);
  return made;
}

/** The type of the place that a path leads to from a type, `*` for rows: `Deployment`, `spec.template.spec.containers.*.env`. */
export function typeAt(type: string, path: readonly string[]): string | undefined {
  return path.reduce<string | undefined>((at, step) => (at === undefined ? undefined : stepInto(at, step)), type);
}

/** The fields of a type by their names, and what each of them is. */
export function fieldTypes(type: string): readonly (readonly [name: string, type: string])[] {
  return [...(FIELDS.get(type) ?? [])].map(([name, field]) => [name, field.type]);
}

function stepInto(type: string, step: string): string | undefined {
  if (type.endsWith('[]')) return step === '*' ? type.slice(0, -2) : undefined;
  if (type.endsWith('{}')) return type.slice(0, -2);
  return FIELDS.get(type)?.get(step)?.type;
}

function makeType(type: string): JsonObject | undefined {
  const row = /^(.*)(\[\]|\{\})$/.exec(type);
  if (row !== null) {
    const inner = kubernetesType(row[1] ?? '');
    if (inner === undefined) return undefined;
    return row[2] === '[]' ? { type: 'array', items: inner } : { type: 'object', additionalProperties: inner };
  }
  const fields = FIELDS.get(type);
  if (fields === undefined) return SCALARS[type];
  const properties = [...fields].map(([name, field]): [string, Json] => [name, schemaOf(field)]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}

function schemaOf({ type, choices }: Field): JsonObject {
  return choices === undefined ? (kubernetesType(type) ?? {}) : { type: 'string', enum: choices };
}

function parseTable(table: string): ReadonlyMap<string, ReadonlyMap<string, Field>> {
  const lines = table.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', ...fields] = line.split(' ');
      return [name.slice(0, -1), new Map(fields.map(parseField))];
    }),
  );
}

function parseField(text: string): [string, Field] {
  const [name = '', choices] = text.split('=');
  if (choices !== undefined) return [name, { type: 'text', choices: choices.split('|') }];
  const [key = '', type = 'text'] = text.split(':');
  return [key, { type }];
}
