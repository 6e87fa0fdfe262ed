import { isDeepStrictEqual } from 'node:util';
import { at } from '../../core/read.ts';
import { type KubeObject, parseApiVersion } from '../../kubernetes/resource.ts';

/** A field that cannot be changed, and what an absent one means. */
interface Rule {
  readonly path: readonly string[];
  readonly absent?: unknown;
  /** Only a value that is replaced by another one counts: where there is none the api-server fills it in. */
  readonly filled?: 'by the api-server';
}

const SELECTOR: Rule = { path: ['spec', 'selector'] };
const ROLE: Rule = { path: ['roleRef'] };
const PVC_FIELDS = ['accessModes', 'selector', 'storageClassName', 'volumeName', 'volumeMode', 'dataSource', 'dataSourceRef'];

/** What the api-server never lets anybody change, of the kinds that charts hold. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  'apps/Deployment': [SELECTOR],
  'apps/DaemonSet': [SELECTOR],
  'apps/ReplicaSet': [SELECTOR],
  'apps/StatefulSet': [
    SELECTOR,
    { path: ['spec', 'serviceName'], absent: '' },
    { path: ['spec', 'podManagementPolicy'], absent: 'OrderedReady' },
    { path: ['spec', 'volumeClaimTemplates'], absent: [] },
  ],
  'batch/Job': [{ ...SELECTOR, filled: 'by the api-server' }, { path: ['spec', 'template'] }, { path: ['spec', 'completions'], absent: 1 }],
  'rbac.authorization.k8s.io/RoleBinding': [ROLE],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [ROLE],
  'storage.k8s.io/StorageClass': [
    { path: ['provisioner'] },
    { path: ['parameters'], absent: {} },
    { path: ['reclaimPolicy'], absent: 'Delete' },
    { path: ['volumeBindingMode'], absent: 'Immediate' },
  ],
  'scheduling.k8s.io/PriorityClass': [{ path: ['value'] }, { path: ['preemptionPolicy'], absent: 'PreemptLowerPriority' }],
  '/Service': [{ path: ['spec', 'clusterIP'], filled: 'by the api-server' }],
  '/Secret': [{ path: ['type'], absent: 'Opaque' }],
  '/PersistentVolumeClaim': PVC_FIELDS.map((name) => ({ path: ['spec', name], filled: 'by the api-server' })),
};

/** The fields that change although the api-server never lets them, as dotted paths. Of a frozen ConfigMap or Secret that is its data. */
export function immutableChanges(from: KubeObject, to: KubeObject): string[] {
  const kind = `${parseApiVersion(to.apiVersion).group}/${to.kind}`;
  const frozen: readonly Rule[] = from['immutable'] === true ? [{ path: ['data'], absent: {} }, { path: ['immutable'] }] : [];
  return [...(RULES[kind] ?? []), ...frozen].filter((rule) => isBroken(rule, from, to)).map(({ path }) => path.join('.'));
}

function isBroken({ path, absent, filled }: Rule, from: KubeObject, to: KubeObject): boolean {
  const [before, after] = [at(from, ...path) ?? absent, at(to, ...path) ?? absent];
  if (filled !== undefined && (before === undefined || after === undefined)) return false;
  return !isDeepStrictEqual(before, after);
}
