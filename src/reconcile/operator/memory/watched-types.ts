import { CLUSTER_ROLE, ENDPOINT_SLICE, SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { at, isObject, listAt } from '../../../domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../../domain/kubernetes/resource.ts';

export type CallerResource = 'validatingwebhookconfigurations' | 'mutatingwebhookconfigurations' | 'apiservices';

/** What of a type is watched, and how much of each object is held in memory. */
export interface Watch {
  readonly type: ResourceType;
  readonly labelSelector: string;
  readonly keep: (object: KubeObject) => KubeObject;
}

/** Helm's records of releases, to be watched by their metadata: their content, which holds values and manifests, stays in the cluster. */
export const RECORDS: Watch = {
  type: SECRET,
  labelSelector: 'owner=helm',
  keep: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata: lean(metadata) }),
};

/** The permissions on the Apps of Operators. */
export const ROLES: Watch = {
  type: CLUSTER_ROLE,
  labelSelector: OURS.operatorLabel,
  keep: (object) => ({ ...object, metadata: lean(object.metadata) }),
};

/** The workloads that Helm installed, with as much as the rules of health look at: no pod template, no environment. */
export function watchOfWorkloads(type: ResourceType): Watch {
  return { type, labelSelector: 'app.kubernetes.io/managed-by=Helm', keep: leanWorkload };
}

function leanWorkload({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { replicas, paused, updateStrategy } = isObject(spec) ? spec : {};
  return { apiVersion, kind, metadata: lean(metadata), spec: { replicas, paused, updateStrategy }, status };
}

/** The webhook configurations and APIServices that Helm installed; of a webhook, what the api-server calls and whether it insists. */
export function watchOfCallers(type: ResourceType): Watch {
  return { type, labelSelector: 'app.kubernetes.io/managed-by=Helm', keep: leanCaller };
}

function leanCaller({ apiVersion, kind, metadata, spec, status, ...rest }: KubeObject): KubeObject {
  const webhooks = listAt(rest, 'webhooks').map((webhook) => {
    const { name, failurePolicy, clientConfig } = isObject(webhook) ? webhook : {};
    return { name, failurePolicy, clientConfig: { service: at(clientConfig, 'service') } };
  });
  const own = kind === 'APIService' ? { spec: { service: at(spec, 'service') }, status } : { webhooks };
  return { apiVersion, kind, metadata: lean(metadata), ...own };
}

/** The EndpointSlices of Services that Helm installed, whose labels they have: whether there is anything behind them. */
export const SLICES: Watch = {
  type: ENDPOINT_SLICE,
  labelSelector: 'app.kubernetes.io/managed-by=Helm',
  keep: ({ apiVersion, kind, metadata, endpoints }) => {
    const ready = listAt(endpoints).some((endpoint) => at(endpoint, 'conditions', 'ready') !== false);
    return { apiVersion, kind, metadata: lean(metadata), endpoints: ready ? [{ conditions: { ready } }] : [] };
  },
};

const KEPT_ANNOTATIONS = ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'];

function lean({ managedFields: _fields, annotations = {}, ...metadata }: KubeObject['metadata']): KubeObject['metadata'] {
  const kept = Object.entries(annotations).filter(([name]) => KEPT_ANNOTATIONS.includes(name));
  return kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
}
