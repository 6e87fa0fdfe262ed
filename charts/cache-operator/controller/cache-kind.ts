import type { LiveObject, Manifest } from '../../controller-runtime/kube-object.ts';
import type { ManagedKind, Observed, Report } from '../../controller-runtime/managed-kind.ts';
import { disruptionBudget, selectorText } from '../../controller-runtime/pod-parts.ts';
import { CONFIG_MAP, POD_DISRUPTION_BUDGET, SERVICE, STATEFUL_SET } from '../../../src/domain/kubernetes/resource-types.ts';
import { phaseOf, rolloutConditions, rolloutOf } from '../../controller-runtime/rollout.ts';
import { claimGrowth } from '../../controller-runtime/volume-claims.ts';
import { CACHE, readCache, selectorOf } from './cache.ts';
import { configMap } from './config-map.ts';
import { cacheSecret } from './secret.ts';
import { services } from './services.ts';
import { configHashOf, statefulSet } from './stateful-set.ts';

const OPERATOR = 'cache-operator';

/** What the cache operator does with a Cache. */
export const cacheKind: ManagedKind = {
  operator: OPERATOR,
  resource: CACHE,
  owned: [STATEFUL_SET, SERVICE, CONFIG_MAP, POD_DISRUPTION_BUDGET],
  secret: (parent, current, makePassword) => cacheSecret(readCache(parent), current, makePassword),
  desired,
  growth: (parent, observed) => {
    const { spec, names } = readCache(parent);
    return spec.persistence.size === undefined ? [] : claimGrowth(observed, `data-${names.main}-`, spec.persistence.size);
  },
  report,
};

function desired(parent: LiveObject, { children }: Observed, secretValues: Readonly<Record<string, string>>): readonly Manifest[] {
  const cache = readCache(parent);
  const { namespace, names, spec } = cache;
  const config = configMap(cache);
  const existing = children.find(({ kind }) => kind === 'StatefulSet');
  return [
    config,
    ...services(cache),
    statefulSet({ cache, operator: OPERATOR, existing, configHash: configHashOf(config, secretValues) }),
    ...(spec.replicas > 1
      ? [disruptionBudget({ namespace, name: names.main, selector: selectorOf(cache), maxUnavailable: spec.maxUnavailable })]
      : []),
  ];
}

function report(parent: LiveObject, { children }: Observed, growthFaults: readonly string[]): Report {
  const cache = readCache(parent);
  const { names, namespace, spec } = cache;
  const rollout = rolloutOf(children.find(({ kind }) => kind === 'StatefulSet'));
  const conditions = [
    ...rolloutConditions(rollout, 'copies'),
    ...growthFaults.slice(0, 1).map((message) => ({ type: 'StorageGrown', status: 'False', reason: 'Rejected', message }) as const),
  ];
  return {
    phase: phaseOf(parent, conditions),
    conditions,
    fields: {
      replicas: rollout.existing,
      readyReplicas: rollout.ready,
      selector: selectorText(selectorOf(cache)),
      endpoint: `${names.main}.${namespace}.svc:${spec.exposure.port}`,
      ...(spec.replicas > 1 ? { readEndpoint: `${names.read}.${namespace}.svc:${spec.exposure.port}` } : {}),
      secretName: names.secret,
      ...(rollout.isDone ? { version: spec.version } : {}),
    },
  };
}
