import { keyOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { NAMESPACE, ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import { compareTexts } from '../../domain/core/compare-texts.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import type { Kube } from '../../kube/kube.ts';
import { nameAndVersion, type Reflector, startMetadataReflector, startReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { type GrantPorts, grantsOurRole } from '../../reconcile/environment/foreign-grants.ts';

/** What is watched to know who has roles of Chandlery in the namespaces of Environments. */
export interface GrantWatch {
  /** The namespaces that Chandlery made for Environments, those dedicated to instances included, with their labels. */
  readonly namespaces: Reflector;
  /** All RoleBindings; of those to other roles than Chandlery's, names alone. */
  readonly roleBindings: Reflector;
}

interface GrantWatchInput {
  readonly kube: Pick<Kube, 'asController'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const PAGE = 500;

/** Starts watching them until the signal aborts. */
export function watchGrants({ kube, log, signal }: GrantWatchInput): GrantWatch {
  const cluster = kube.asController();
  const labelSelector = `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}`;
  return {
    namespaces: startMetadataReflector({ cluster, type: NAMESPACE, labelSelector, keep: withLabels, log, signal }),
    roleBindings: startReflector({
      cluster,
      type: ROLE_BINDING,
      keep: onlyGrant,
      pages: (scope) => cluster.pages(ROLE_BINDING, { ...scope, content: 'whole', size: PAGE }),
      log,
      signal,
    }),
  };
}

/** @param sources all CatalogSources. */
export function grantPorts({ namespaces, roleBindings }: GrantWatch, sources: () => readonly KubeObject[]): GrantPorts {
  return {
    grantsIn: async ({ name, namespace }, signal) => {
      await Promise.all([namespaces.waitForSync(signal), roleBindings.waitForSync(signal)]);
      const own = new Set([namespace, ...dedicatedTo(namespaces, name)]);
      const found = roleBindings.all().filter((binding) => own.has(binding.metadata.namespace ?? '') && grantsOurRole(binding));
      return found.toSorted((one, other) => compareTexts(keyOf(one), keyOf(other)));
    },
    isDeclared: (binding) => {
      const { labels = {}, name, namespace } = binding.metadata;
      const source = sources().find(({ metadata }) => metadata.name === labels[OURS.sourceLabel]);
      if (source === undefined) return false;
      const { inventory } = statusOf(CATALOG_SOURCE_KIND, source);
      return inventory.some((item) => item.kind === ROLE_BINDING.kind && item.name === name && item.namespace === namespace);
    },
  };
}

function dedicatedTo(namespaces: Pick<Reflector, 'all'>, environment: string): string[] {
  return namespaces.all().flatMap(({ metadata: { name, labels = {} } }) => {
    const isDedicated = labels[OURS.instanceUidLabel] !== undefined && labels[OURS.environmentLabel] === environment;
    return isDedicated ? [name] : [];
  });
}

function withLabels(namespace: KubeObject): KubeObject {
  const { labels } = namespace.metadata;
  return nameAndVersion(namespace, labels === undefined ? {} : { labels });
}

function onlyGrant(binding: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = binding;
  const { managedFields: _fields, annotations: _annotations, labels, ...identity } = metadata;
  if (!grantsOurRole(binding)) return { apiVersion, kind, metadata: identity };
  return { apiVersion, kind, metadata: { ...identity, ...(labels === undefined ? {} : { labels }) }, ...rest };
}
