/** What an edge of a resource tree means. */
export const RELATION_CLASSES = [
  'Owner',
  'ReleaseManifest',
  'Label',
  'Annotation',
  'Reference',
  'EndpointSlice',
  'Selector',
  'Backend',
  'ParentRef',
  'ReferenceGrant',
  'ScaleTarget',
  'VolumeClaim',
  'Mount',
  'EnvFrom',
  'ImagePullSecret',
  'ServiceAccount',
  'TLS',
  'Volume',
] as const;
export type RelationClass = (typeof RELATION_CLASSES)[number];

/**
 * How the value of a field leads to objects of a kind, which is written `group/Kind`, and `/Kind` of the core group:
 * - `name`: it is the name of one;
 * - `reference`: it is `{group | apiGroup | apiVersion, kind, namespace, name}`, of which the kind may be left out;
 * - `labels`: it is the labels that they carry; without a label none is selected;
 * - `selector`: it is a LabelSelector; an empty one selects all;
 * - `claimTemplate`: it is the name of a volumeClaimTemplate, whose claims are called `<template>-<holder>-<ordinal>`.
 */
export interface Lookup {
  readonly by: 'name' | 'reference' | 'labels' | 'selector' | 'claimTemplate';
  readonly kind: string;
}

/** One edge of the table: the holder of a field, and what the field names. */
export interface Relation {
  readonly class: RelationClass;
  readonly from: readonly string[];
  /** `[]` stands for every item of a list. */
  readonly path: string;
  readonly to: Lookup;
  /**
   * Which end comes into a group because the other one is in it: a workload brings the ConfigMap that it mounts (`Target`), a Service is brought by the Pods that it
   * selects (`Holder`), and a Gateway that many share is brought by nobody (`None`).
   */
  readonly joins: 'Holder' | 'Target' | 'None';
}

const GATEWAY = 'gateway.networking.k8s.io';
const ROUTES = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute'].map((kind) => `${GATEWAY}/${kind}`);
const INGRESS = ['networking.k8s.io/Ingress'];
const [POD, SERVICE, SECRET, CONFIG_MAP, CLAIM] = ['/Pod', '/Service', '/Secret', '/ConfigMap', '/PersistentVolumeClaim'] as const;

/** Where the kinds that run Pods keep the PodSpec. */
export const POD_SPECS: Readonly<Record<string, string>> = {
  '/Pod': 'spec',
  '/ReplicationController': 'spec.template.spec',
  'apps/Deployment': 'spec.template.spec',
  'apps/ReplicaSet': 'spec.template.spec',
  'apps/StatefulSet': 'spec.template.spec',
  'apps/DaemonSet': 'spec.template.spec',
  'batch/Job': 'spec.template.spec',
  'batch/CronJob': 'spec.jobTemplate.spec.template.spec',
};

type Row = readonly [relation: RelationClass, path: string, kind: string];

/** The same for every container of a Pod, the initial ones included. */
const CONTAINER_ROWS: readonly Row[] = [
  ['EnvFrom', 'envFrom[].configMapRef.name', CONFIG_MAP],
  ['EnvFrom', 'envFrom[].secretRef.name', SECRET],
  ['EnvFrom', 'env[].valueFrom.configMapKeyRef.name', CONFIG_MAP],
  ['EnvFrom', 'env[].valueFrom.secretKeyRef.name', SECRET],
];

const POD_ROWS: readonly Row[] = [
  ['Mount', 'volumes[].configMap.name', CONFIG_MAP],
  ['Mount', 'volumes[].secret.secretName', SECRET],
  ['Mount', 'volumes[].persistentVolumeClaim.claimName', CLAIM],
  ['Mount', 'volumes[].projected.sources[].configMap.name', CONFIG_MAP],
  ['Mount', 'volumes[].projected.sources[].secret.name', SECRET],
  ['ImagePullSecret', 'imagePullSecrets[].name', SECRET],
  ['ServiceAccount', 'serviceAccountName', '/ServiceAccount'],
  ...['containers', 'initContainers'].flatMap((list) =>
    CONTAINER_ROWS.map(([relation, path, kind]): Row => [relation, `${list}[].${path}`, kind]),
  ),
];

const POD_RELATIONS = Object.entries(POD_SPECS).flatMap(([from, spec]) =>
  POD_ROWS.map(([relation, path, kind]): Relation => ({
    class: relation,
    from: [from],
    path: `${spec}.${path}`,
    to: { by: 'name', kind },
    joins: 'Target',
  })),
);

/** The inferred edges, by API group. Owner references and the labels of operators hold for every kind: see find-edges.ts. */
const RELATIONS: readonly Relation[] = [
  ...POD_RELATIONS,
  {
    class: 'EndpointSlice',
    from: ['discovery.k8s.io/EndpointSlice'],
    path: 'metadata.labels["kubernetes.io/service-name"]',
    to: { by: 'name', kind: SERVICE },
    joins: 'Holder',
  },
  { class: 'Selector', from: [SERVICE], path: 'spec.selector', to: { by: 'labels', kind: POD }, joins: 'Holder' },
  {
    class: 'Selector',
    from: ['policy/PodDisruptionBudget'],
    path: 'spec.selector',
    to: { by: 'selector', kind: POD },
    joins: 'Holder',
  },
  {
    class: 'ScaleTarget',
    from: ['autoscaling/HorizontalPodAutoscaler'],
    path: 'spec.scaleTargetRef',
    to: { by: 'reference', kind: 'apps/Deployment' },
    joins: 'Holder',
  },
  {
    class: 'VolumeClaim',
    from: ['apps/StatefulSet'],
    path: 'spec.volumeClaimTemplates[].metadata.name',
    to: { by: 'claimTemplate', kind: CLAIM },
    joins: 'Target',
  },
  { class: 'Volume', from: [CLAIM], path: 'spec.volumeName', to: { by: 'name', kind: '/PersistentVolume' }, joins: 'None' },
  { class: 'Backend', from: INGRESS, path: 'spec.defaultBackend.service.name', to: { by: 'name', kind: SERVICE }, joins: 'Holder' },
  {
    class: 'Backend',
    from: INGRESS,
    path: 'spec.rules[].http.paths[].backend.service.name',
    to: { by: 'name', kind: SERVICE },
    joins: 'Holder',
  },
  {
    class: 'Backend',
    from: INGRESS,
    path: 'spec.rules[].http.paths[].backend.resource',
    to: { by: 'reference', kind: SERVICE },
    joins: 'Holder',
  },
  { class: 'TLS', from: INGRESS, path: 'spec.tls[].secretName', to: { by: 'name', kind: SECRET }, joins: 'Target' },
  { class: 'Backend', from: ROUTES, path: 'spec.rules[].backendRefs[]', to: { by: 'reference', kind: SERVICE }, joins: 'Holder' },
  {
    class: 'Backend',
    from: ROUTES,
    path: 'spec.rules[].filters[].requestMirror.backendRef',
    to: { by: 'reference', kind: SERVICE },
    joins: 'None',
  },
  { class: 'ParentRef', from: ROUTES, path: 'spec.parentRefs[]', to: { by: 'reference', kind: `${GATEWAY}/Gateway` }, joins: 'None' },
  {
    class: 'TLS',
    from: [`${GATEWAY}/Gateway`],
    path: 'spec.listeners[].tls.certificateRefs[]',
    to: { by: 'reference', kind: SECRET },
    joins: 'Target',
  },
  {
    class: 'ReferenceGrant',
    from: [`${GATEWAY}/ReferenceGrant`],
    path: 'spec.to[]',
    to: { by: 'reference', kind: SERVICE },
    joins: 'Holder',
  },
];

/** The relations by the kind that holds the field. */
export const RELATIONS_BY_KIND: ReadonlyMap<string, readonly Relation[]> = byKind();

function byKind(): Map<string, Relation[]> {
  const table = new Map<string, Relation[]>();
  for (const relation of RELATIONS) {
    for (const kind of relation.from) table.set(kind, [...(table.get(kind) ?? []), relation]);
  }
  return table;
}

/** Whether a relation reads more of objects of a kind than their metadata. */
export function hasRelations(kind: string): boolean {
  return (RELATIONS_BY_KIND.get(kind) ?? []).some(({ path }) => !path.startsWith('metadata.'));
}
