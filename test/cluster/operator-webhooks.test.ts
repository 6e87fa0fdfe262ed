import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { chartFiles } from '../support/charts.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';
import { RUN } from '../support/run-name.ts';

// Runs in test:all: a webhook takes part in all requests of the cluster.

// Runs alone: Kubernetes cannot empty a namespace while an APIService does not answer.

const NS = `hooks-${RUN}`;
const API_SERVICE = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', name: `v1.agg-${RUN}.example.com` };
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(async () => {
  await ifFound(world.kube.asController().delete(API_SERVICE));
  await world.stop();
});

describe('an Operator that takes part in requests', () => {
  it('is not Healthy while nothing is behind its webhook or its APIService, and learns of it without being asked', async () => {
    await world.writeChart('hooked', chartFiles('hooked', '1.0.0', { 'templates/hooked.yaml': HOOKED }));
    await world.create(NS, 'hooked', {
      chart: { repoURL: 'file://samples', name: 'hooked', version: '1.0.0' },
      values: { api: true, app: 'nobody' },
      interval: '1h',
    });
    const both = await world.condition(NS, 'hooked', { type: 'Healthy', status: 'False', reason: 'WebhookUnavailable' });
    assert.match(
      both.message,
      new RegExp(`webhook "check.example.com" of the ValidatingWebhookConfiguration hooked-${RUN} does not answer`),
    );
    assert.match(both.message, new RegExp(`the Service ${NS}/hooked has no ready endpoint`));
    assert.match(both.message, new RegExp(`The APIService v1.agg-${RUN}.example.com is not available`));
    const hooked = { ...OPERATOR, namespace: NS, name: 'hooked' };
    const body = { spec: { values: { api: false, app: 'hooked' } } };
    await world.kube.asController().patch(hooked, { type: 'merge', body });
    await world.condition(NS, 'hooked', { type: 'Healthy', status: 'True' });
    const service = { group: '', version: 'v1', resource: 'services', namespace: NS, name: 'hooked' };
    await world.kube.asController().patch(service, { type: 'merge', body: { spec: { selector: { app: 'nobody' } } } });
    const gone = await world.condition(NS, 'hooked', { type: 'Healthy', status: 'False', reason: 'WebhookUnavailable' });
    assert.doesNotMatch(gone.message, /APIService/);
  });
});

const HOOKED = `apiVersion: apps/v1
kind: Deployment
metadata: {name: hooked}
spec:
  replicas: 1
  selector: {matchLabels: {app: hooked}}
  template:
    metadata: {labels: {app: hooked}}
    spec: {containers: [{name: operator, image: example.com/operator:1}]}
---
apiVersion: v1
kind: Service
metadata: {name: hooked}
spec: {selector: {app: '{{ .Values.app }}'}, ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooked-${RUN}}
webhooks:
  - name: check.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: {service: {name: hooked, namespace: "{{ .Release.Namespace }}"}}
    rules: [{apiGroups: [hooked-${RUN}.example.com], apiVersions: ['*'], resources: ['*'], operations: [CREATE]}]
  - name: ignored.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Ignore
    clientConfig: {service: {name: nowhere, namespace: "{{ .Release.Namespace }}"}}
    rules: [{apiGroups: [hooked-${RUN}.example.com], apiVersions: ['*'], resources: ['*'], operations: [CREATE]}]
{{- if .Values.api }}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.agg-${RUN}.example.com}
spec:
  group: agg-${RUN}.example.com
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {name: hooked, namespace: "{{ .Release.Namespace }}"}
{{- end }}
`;
