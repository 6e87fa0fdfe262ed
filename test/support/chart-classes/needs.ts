import { deploymentTemplate } from '../charts.ts';
import { chartClass } from './chart-class.ts';

const NAME = '{{ .Release.Name }}';
const DEPLOYMENT = deploymentTemplate({ replicas: 1, container: 'web', image: 'nginx:1.29' });
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.classes.example.com}
spec: {group: classes.example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
`;
const UNSERVED = `apiVersion: ray.example.com/v1
kind: RayCluster
metadata: {name: ${NAME}}
`;

/** Charts that need something of the cluster or of the person, which a check has to say before. */
export const NEEDS = [
  chartClass('cluster-reader', 'A ClusterRole, which a value leaves out', {
    outcome: 'does not install',
    values: 'rbac: {create: true}\n',
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---
{{- if .Values.rbac.create }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ${NAME}}
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
{{- end }}
`,
    },
  }),
  chartClass('crds-in-templates', 'A CRD among its templates, which a value leaves out', {
    outcome: 'does not install',
    values: 'crds: {install: true}\n',
    files: { 'templates/all.yaml': `${DEPLOYMENT}---\n{{- if .Values.crds.install }}\n${CRD}{{- end }}\n` },
  }),
  chartClass('crds-folder', 'A CRD in its folder crds/', {
    outcome: 'does not install',
    files: { 'crds/widgets.yaml': CRD, 'templates/all.yaml': DEPLOYMENT },
  }),
  chartClass('http-route', 'An HTTPRoute, of an API that the cluster does not serve', {
    outcome: 'does not install',
    values: 'route: {enabled: true}\n',
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---
{{- if .Values.route.enabled }}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${NAME}}
spec: {parentRefs: [{name: gateway}], rules: [{backendRefs: [{name: ${NAME}, port: 80}]}]}
{{- end }}
`,
    },
  }),
  chartClass('foreign-kind', 'A resource of another operator', { outcome: 'does not install', files: { 'templates/all.yaml': UNSERVED } }),
  chartClass('capabilities', 'A resource that it leaves out where the cluster does not serve it', {
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---\n{{- if .Capabilities.APIVersions.Has "ray.example.com/v1" }}\n${UNSERVED}{{- end }}\n`,
    },
  }),
  chartClass('required-value', 'It asks for a value that has no default', {
    outcome: 'does not install',
    values: 'address: ""\n',
    files: {
      'templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${NAME}}\ndata: {address: {{ required "set address" .Values.address | quote }}}\n`,
    },
  }),
  chartClass('strong-role', 'A Role with more permissions than the deployer has', {
    outcome: 'does not install',
    files: {
      'templates/all.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${NAME}}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
`,
    },
  }),
  chartClass('fixed-namespace', 'An object in a namespace that it names itself', {
    outcome: 'does not install',
    files: { 'templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${NAME}, namespace: kube-system}\n` },
  }),
  chartClass('invalid-object', 'A Deployment that the api-server rejects', {
    outcome: 'does not install',
    files: { 'templates/all.yaml': DEPLOYMENT.replace('replicas: 1', 'replicas: -1') },
  }),
  chartClass('newer-kubernetes', 'It asks for a version of Kubernetes that does not exist', {
    outcome: 'does not install',
    chart: 'kubeVersion: ">=9.0.0"\n',
  }),
];
