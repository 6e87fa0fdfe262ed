import { fetchRevisionChart } from '../app-definition/fetch-revision-chart.ts';
import type { InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { newestInChannel, revisionVersion } from '../../domain/app-definition/channel.ts';
import { checkRange, newestFirst } from '../../domain/chart/chart-version.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { APP_REVISION_KIND } from '../../domain/app-definition/app-revision-kind.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { type JsonObject, type KubeObject, oldestFirst } from '../../domain/kubernetes/resource.ts';
import { ignoredValues, instanceLayers, type LayeredApp, unlockedValues, valuesOfRelease } from '../../domain/values/instance-layers.ts';
import type { ValuesLayer } from '../../domain/values/layers.ts';
import { nodeSelectorOf } from '../../domain/workload/node-selector.ts';
import { configDigest } from '../helm-release/retry.ts';
import { type ResolvedValues, resolveValues } from '../helm-release/resolve-values.ts';
import type { Chart } from '../helm-release/ports.ts';
import { environmentOf } from './prerequisites.ts';
import { type Dependency, type ResolvedOutputs, resolveOutputs } from './resolve-outputs.ts';
import type { Work } from './work.ts';

/** What the release of an instance is to become. */
export interface Target {
  readonly chart: Chart;
  /** The name of the AppRevision. */
  readonly revision: string;
  /** The version that the definition offers, where it is another one. */
  readonly availableVersion?: string;
  readonly values: ResolvedValues;
  /** Which of the values in its spec have no effect, and why. */
  readonly ignored: readonly string[];
  readonly configDigest: string;
  /** What has to be ready before the release is changed. */
  readonly waitsFor?: Dependency;
  /** Labels of the nodes that its pods have to run on. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Kinds that its objects may be of although they are cluster-scoped or in other namespaces. */
  readonly allowed: readonly { readonly group: string; readonly kind: string }[];
}

/**
 * The chart of the version that the instance asks for, and its values: chart ← AppDefinition ← Environment ← valuesFrom ← spec.values. What goes wrong is a fact, too.
 *
 * @throws AppError `ClusterUnavailable`.
 */
export async function resolveTarget(work: Work): Promise<Target | { readonly error: AppError } | { readonly blocked: Dependency }> {
  try {
    const outputs = await resolveOutputs(work);
    if (outputs.kind === 'Blocked') return { blocked: outputs.dependency };
    const { waitsFor } = outputs;
    const definition = findDefinition(work);
    const revision = chooseRevision(work, definition);
    const chart = await fetchRevisionChart(work.ports, revision, work.signal);
    const { allowedResources, catalog, policy } = specOf(APP_DEFINITION_KIND, definition);
    const { values, ignored } = await valuesOf(work, { ...catalog, valuesFrom: outputs.valuesFrom });
    const nodes = nodeSelectorOf(policy, values.values);
    if (nodes.faults.length > 0) throw new AppError('ValuesInvalid', nodes.faults.join('; '));
    const nodeSelector = nodes.labels;
    const kubernetesVersion = await work.ports.kubernetesVersion({ signal: work.signal });
    const made = { values: values.values, legacyAPIs: 'Uplift' } as const;
    const digest = configDigest({
      chartDigest: chart.digest,
      spec: made,
      kubernetesVersion,
      sources: values.revisions,
      imageRewrites: work.ports.imageRewrites,
      nodeSelector,
    });
    return {
      chart,
      revision: revision.metadata.name,
      ...availableBeside(work, definition, chart),
      values,
      ignored,
      configDigest: digest,
      nodeSelector,
      allowed: allowedResources,
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
  } catch (error) {
    if (!(error instanceof AppError) || isAppError(error, 'ClusterUnavailable')) throw error;
    return { error };
  }
}

/** The digest of the chart that the instance is to have now, as far as it is known without fetching; undefined when there is none. */
export function wantedChart(work: Work): string | undefined {
  try {
    return specOf(APP_REVISION_KIND, chooseRevision(work, findDefinition(work))).digest;
  } catch (error) {
    if (isAppError(error, 'NotFound', 'InvalidInput')) return undefined;
    throw error;
  }
}

function findDefinition({ ports, kind }: Work): KubeObject {
  const definition = ports.definitions.get(kind.definition);
  if (definition !== undefined) return definition;
  throw new AppError(
    'NotFound',
    `AppDefinition "${kind.definition}": it does not exist, so the release stays as it is; create it again, or delete the instance`,
  );
}

/**
 * The newest AppRevision of the version, or else of the channel; without either, the one that the instance has, or, for a new one and for one whose turn it is in the roll-out, the
 * current one.
 */
function chooseRevision(work: Work, definition: KubeObject): KubeObject {
  const { kind, spec, status } = work;
  const revisions = revisionsOf(work);
  const named = (name: string | undefined): KubeObject | undefined => revisions.find(({ metadata }) => metadata.name === name);
  const current = named(statusOf(APP_DEFINITION_KIND, definition).revision);
  const own = named(status.revision);
  if (spec.version === undefined && spec.channel !== undefined) return followChannel(work, definition, { channel: spec.channel, own });
  if (spec.version === undefined) {
    const found = isAdmitted(work, definition) ? (current ?? own) : (own ?? current);
    if (found !== undefined) return found;
    throw new AppError('NotFound', `AppDefinition "${kind.definition}": it has no version yet; see its conditions`);
  }
  const matching = revisions.filter((revision) => revisionVersion(revision) === spec.version);
  const kept = [own, current].find((revision) => revision !== undefined && matching.includes(revision));
  const found = kept ?? matching.sort(oldestFirst).at(-1);
  if (found !== undefined) return found;
  throw new AppError(
    'NotFound',
    `spec.version: AppDefinition "${kind.definition}" has no version ${JSON.stringify(spec.version)}; it has ${versionsInShort(work)}`,
  );
}

interface Followed {
  readonly channel: string;
  /** The AppRevision that the instance has. */
  readonly own: KubeObject | undefined;
}

/**
 * The newest AppRevision within the range, at once with `updatePolicy: Manual`; where the definition rolls versions out, the own one until its turn has come, unless that
 * is not within the range.
 */
function followChannel(work: Work, definition: KubeObject, { channel, own }: Followed): KubeObject {
  checkRange({ range: channel }, 'spec.channel');
  const found = newestInChannel(revisionsOf(work), channel, own);
  if (found === undefined) {
    const why = `no version of AppDefinition "${work.kind.definition}" is within ${JSON.stringify(channel)}`;
    throw new AppError('NotFound', `spec.channel: ${why}; it has ${versionsInShort(work)}`);
  }
  const isWithin = own !== undefined && newestInChannel([own], channel) !== undefined;
  const isRolledOut = specOf(APP_DEFINITION_KIND, definition).updatePolicy === 'Automatic';
  return isWithin && isRolledOut && !isAdmitted(work, definition) ? own : found;
}

function versionsInShort(work: Work): string {
  return offeredVersions(work)
    .map(({ version }) => version)
    .join(', ');
}

function revisionsOf({ ports, kind }: Pick<Work, 'ports' | 'kind'>): KubeObject[] {
  return ports.revisions.all().filter(({ metadata }) => metadata.labels?.[OURS.appDefinitionLabel] === kind.definition);
}

/** Whether the roll-out of the current revision has come to the instance. */
function isAdmitted({ namespace, instance }: Work, definition: KubeObject): boolean {
  const { revision, rollout } = statusOf(APP_DEFINITION_KIND, definition);
  if (specOf(APP_DEFINITION_KIND, definition).updatePolicy !== 'Automatic' || rollout?.revision !== revision) return false;
  return rollout?.admitted.includes(`${namespace}/${instance.metadata.name}`) === true;
}

function availableBeside(work: Work, definition: KubeObject, { contents }: Chart): Pick<Target, 'availableVersion'> {
  const { revision } = statusOf(APP_DEFINITION_KIND, definition);
  const current = revisionsOf(work).find(({ metadata }) => metadata.name === revision);
  const version = current && specOf(APP_REVISION_KIND, current).chart.version;
  return version === undefined || version === contents.metadata.version ? {} : { availableVersion: version };
}

interface OwnValues extends Pick<LayeredApp, 'defaults' | 'locked'> {
  readonly valuesFrom: ResolvedOutputs['valuesFrom'];
}

async function valuesOf(work: Work, { defaults, locked, valuesFrom }: OwnValues): Promise<Pick<Target, 'values' | 'ignored'>> {
  const { kind, namespace, spec, sources: cluster, signal } = work;
  const environment = environmentOf(work.ports.environments.all(), namespace);
  const overlaid = environment && { name: environment.metadata.name, overlay: specOf(ENVIRONMENT_KIND, environment).overlay };
  const layers = instanceLayers({ id: `${kind.resource}.${kind.group}`, definition: kind.definition, defaults, locked }, overlaid);
  const { operator, environment: ofEnvironment } = layers.lower;
  const base: ValuesLayer[] = [{ origin: `AppDefinition ${kind.definition}`, values: valuesOfRelease(operator) }];
  if (overlaid !== undefined) base.push({ origin: `Environment ${overlaid.name}`, values: valuesOfRelease(ofEnvironment) });
  const { values } = spec;
  const permitted = (given: JsonObject): JsonObject => unlockedValues(given, layers);
  const resolved = await resolveValues({ cluster, namespace, valuesFrom, values, base, permitted, signal });
  return { values: resolved, ignored: ignoredValues(values, layers) };
}

const MAX_VERSIONS = 20;

/** The versions of the chart that an instance may have, newest first. Of two archives with one version the one that was offered last counts. */
export function offeredVersions(work: Pick<Work, 'ports' | 'kind'>): InstanceStatus['versions'] {
  const digests = new Map(
    revisionsOf(work)
      .sort(oldestFirst)
      .map((revision) => {
        const { chart, digest } = specOf(APP_REVISION_KIND, revision);
        return [chart.version, digest] as const;
      }),
  );
  return [...digests]
    .map(([version, digest]) => ({ version, digest }))
    .sort((a, b) => newestFirst(a.version, b.version) || a.version.localeCompare(b.version))
    .slice(0, MAX_VERSIONS);
}
