import pMap from 'p-map';
import type { Actor } from '../domain/actor.ts';
import type { Cluster } from '../domain/cluster.ts';
import { AppError, sentenceOfFault, type ErrorCode, type MissingRight } from '../domain/errors.ts';
import { redact } from '../domain/redact.ts';
import type { KubeObject, ServedKind } from '../domain/resource.ts';
import { immutableChanges } from '../domain/upgrade-plan/immutable-fields.ts';
import { isChanged, pairObjects, type ObjectPair } from '../domain/upgrade-plan/object-changes.ts';
import type { FieldRefusal, PlannedFields } from '../domain/upgrade-plan/plan.ts';
import type { Ports } from './ports.ts';

export interface FieldsInput {
  readonly from: readonly KubeObject[];
  readonly to: readonly KubeObject[];
  readonly release: string;
  readonly namespace: string;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

const MOST = 100;
const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);
/** The field manager of what Helm applies. */
export const HELM_MANAGER = 'helm';
/** The words of the api-server for what only a new object can have. */
const IMMUTABLE =
  /immutable|may not change|cannot be changed|cannot change|updates to .* spec .*are forbidden|updates to .* for fields other than/i;

/**
 * Asks the api-server, as the actor and by a dry run, whether it would take each object that is new or changes. Where the actor may not ask, what is
 * known of the kind answers. Hooks are left out: Helm makes them anew each time.
 */
export async function planFields(ports: Pick<Ports, 'clusters' | 'discovery'>, actor: Actor, input: FieldsInput): Promise<PlannedFields> {
  const pairs = pairObjects(input).filter((pair) => pair.to !== undefined && isChanged(pair) && !isHook(pair.to));
  const cluster = ports.clusters.asActor(actor);
  const answers = await pMap(pairs.slice(0, MOST), async (pair) => await ask(cluster, ports, { pair, input }), { concurrency: 4 });
  const unasked = pairs.slice(MOST).flatMap((pair) => rulesOn(pair, input));
  return {
    refusals: [...answers.flatMap(({ refusals }) => refusals), ...unasked],
    asked: answers.filter(({ missing }) => missing === undefined).length,
    missing: answers.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
  };
}

interface Question {
  readonly pair: ObjectPair;
  readonly input: FieldsInput;
}

interface Answer {
  readonly refusals: readonly FieldRefusal[];
  readonly missing?: MissingRight;
}

async function ask(cluster: Pick<Cluster, 'apply'>, { discovery }: Pick<Ports, 'discovery'>, { pair, input }: Question): Promise<Answer> {
  const { to } = pair;
  const kind = to === undefined ? undefined : await discovery.find(to.apiVersion, to.kind, input.signal);
  // A kind that the chart brings itself is not served yet.
  if (to === undefined || kind === undefined) return { refusals: [] };
  const object = marked(to, kind, input);
  const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', dryRun: 'All', signal: input.signal } as const;
  try {
    await cluster.apply(kind, object, options);
    return { refusals: [] };
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    if (error.code === 'Forbidden') {
      const { namespace } = object.metadata;
      const right = { verb: 'patch', group: kind.group, resource: kind.resource, ...(namespace === undefined ? {} : { namespace }) };
      return { refusals: rulesOn(pair, input), missing: error.missing ?? right };
    }
    // The namespace of the release is made with it.
    return { refusals: error.code === 'NotFound' ? [] : refusalsOf(error, object, input.secrets) };
  }
}

function refusalsOf(error: AppError, object: KubeObject, secrets: readonly string[]): FieldRefusal[] {
  const faults = error.faults.length === 0 ? [{ message: error.message }] : error.faults;
  return faults.map((fault) => ({
    object: redact(nameOf(object), secrets),
    field: 'field' in fault ? (fault.field ?? '') : '',
    why: redact(sentenceOfFault(fault), secrets).slice(0, 500),
    recreate: IMMUTABLE.test(fault.message),
    source: 'DryRun',
  }));
}

function rulesOn({ from, to }: ObjectPair, { namespace, secrets }: FieldsInput): FieldRefusal[] {
  if (from === undefined || to === undefined) return [];
  const object = redact(nameOf({ ...to, metadata: { ...to.metadata, namespace: to.metadata.namespace ?? namespace } }), secrets);
  return immutableChanges(from, to).map((field) => {
    return { object, field, why: `${field} changes, which the api-server never allows`, recreate: true, source: 'Rule' };
  });
}

/** With what Helm adds when it applies; without it the object would be somebody else's. */
export function marked(
  object: KubeObject,
  { namespaced }: ServedKind,
  { release, namespace }: Pick<FieldsInput, 'release' | 'namespace'>,
): KubeObject {
  const { labels = {}, annotations = {}, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(namespaced ? { namespace: metadata.namespace ?? namespace } : {}),
      labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { ...annotations, 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': namespace },
    },
  };
}

/** Hooks are made anew each time. */
export function isHook({ metadata }: KubeObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
