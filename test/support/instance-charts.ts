import { deploymentTemplate } from './charts.ts';

// Charts and objects that instances of generated kinds are tested with.

export const WEB = {
  'values.yaml': 'replicas: 1\nimage: nginx\npassword: ""\n',
  'values.schema.json': JSON.stringify({ type: 'object', properties: { replicas: { type: 'integer', maximum: 5 } } }),
  'templates/web.yaml': deploymentTemplate({ replicas: '{{ .Values.replicas }}', container: 'web', image: '{{ .Values.image }}' }),
  'templates/NOTES.txt': 'Open {{ .Release.Name }} with {{ .Values.password }}',
};

export const CONFIG = {
  'values.yaml': 'text: a\nextra: ""\n',
  'templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {text: {{ .Values.text | quote }}}\n',
  'templates/extra.yaml': '{{ tpl .Values.extra . }}',
};

/** A Job that is removed when it is done, and an Ingress and a Service of classes that no controller serves. */
export const PASSING = {
  'values.yaml': 'a: 1\n',
  'templates/all.yaml': `apiVersion: batch/v1
kind: Job
metadata: {name: "{{ .Release.Name }}"}
spec: {ttlSecondsAfterFinished: 0, template: {spec: {restartPolicy: Never, containers: [{name: a, image: example.com/a:1}]}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: "{{ .Release.Name }}"}
spec: {ingressClassName: unserved, defaultBackend: {service: {name: a, port: {number: 80}}}}
---
apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec: {type: LoadBalancer, loadBalancerClass: example.com/unserved, ports: [{port: 80}]}`,
};

export const CONNECTION = [
  { name: 'text', fieldPath: 'spec.values.text' },
  { name: 'password', secretKeyRef: { name: 'password-{name}', key: 'password' } },
];

/** An object outside of the environment. */
export const BINDING = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: all}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}`;

export function configMapIn(namespace: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: foreign, namespace: ${namespace}}`;
}

export function hookAs(account: string): string {
  return `apiVersion: batch/v1
kind: Job
metadata: {name: hook, annotations: {helm.sh/hook: pre-install}}
spec: {template: {spec: {restartPolicy: Never, serviceAccountName: ${account}, containers: [{name: a, image: a}]}}}`;
}
