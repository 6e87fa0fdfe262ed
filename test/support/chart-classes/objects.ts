import { deploymentTemplate } from '../charts.ts';
import { chartClass } from './chart-class.ts';

const DEPLOYMENT = deploymentTemplate({ replicas: 1, container: 'web', image: 'nginx:1.29' });
const NAME = '{{ .Release.Name }}';

/** Charts with objects that releases of developers may have. */
export const OBJECTS = [
  chartClass('isolated-web', 'A Deployment and the NetworkPolicy that comes with it by default', {
    values: 'networkPolicy: {enabled: true}\n',
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---
{{- if .Values.networkPolicy.enabled }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${NAME}}
spec: {podSelector: {matchLabels: {app: ${NAME}}}, policyTypes: [Ingress], ingress: [{}]}
{{- end }}
`,
    },
  }),
  chartClass('slow-render', 'It renders for some seconds and brings a NetworkPolicy', {
    values: 'loops: 1200\n',
    files: {
      'templates/all.yaml': `{{- $n := int .Values.loops -}}
{{- range $i := until $n }}{{- range $j := until $n }}{{- end }}{{- end }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${NAME}}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{}]}
`,
    },
  }),
  chartClass('own-role', 'A Role that the deployer may grant, and its RoleBinding', {
    files: {
      'templates/all.yaml': `apiVersion: v1
kind: ServiceAccount
metadata: {name: ${NAME}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${NAME}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${NAME}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${NAME}}
subjects: [{kind: ServiceAccount, name: ${NAME}}]
`,
    },
  }),
  chartClass('hooks-and-tests', 'A hook before the installation, and a test', {
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${NAME}-before, annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}}
---
apiVersion: v1
kind: Pod
metadata: {name: ${NAME}-test, annotations: {helm.sh/hook: test}}
spec: {restartPolicy: Never, containers: [{name: test, image: busybox}]}
`,
    },
  }),
  chartClass('job-with-ttl', 'A Job that the cluster deletes once it has ended', {
    values: 'ttl: 5\n',
    files: {
      'templates/job.yaml': `apiVersion: batch/v1
kind: Job
metadata: {name: ${NAME}-init}
spec:
  ttlSecondsAfterFinished: {{ .Values.ttl }}
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: alpine:3}]}}
`,
    },
  }),
  chartClass('routed-web', 'A Service with an Ingress that gets no address', {
    values: 'host: a.example.com\n',
    files: {
      'templates/all.yaml': `apiVersion: v1
kind: Service
metadata: {name: ${NAME}}
spec: {selector: {app: x}, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${NAME}}
spec:
  rules:
    - host: {{ .Values.host }}
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: ${NAME}, port: {number: 80}}}}]}
`,
    },
  }),
  chartClass('volumes', 'A StatefulSet with a volume for each pod', {
    values: 'persistence: {size: 1Gi, storageClass: ""}\n',
    files: {
      'templates/all.yaml': `apiVersion: v1
kind: Service
metadata: {name: ${NAME}}
spec: {clusterIP: None, selector: {app: ${NAME}}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${NAME}}
spec:
  serviceName: ${NAME}
  selector: {matchLabels: {app: ${NAME}}}
  template:
    metadata: {labels: {app: ${NAME}}}
    spec: {containers: [{name: db, image: db, volumeMounts: [{name: data, mountPath: /data}]}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: {{ .Values.persistence.size }}}}}
`,
    },
  }),
  chartClass('autoscaling', 'An autoscaler, a disruption budget and a CronJob', {
    files: {
      'templates/all.yaml': `${DEPLOYMENT}---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ${NAME}}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${NAME}}, minReplicas: 1, maxReplicas: 2}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: ${NAME}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: ${NAME}}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: ${NAME}}
spec:
  schedule: "0 3 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: run, image: busybox}]}}}}
`,
    },
  }),
];
