import pMap from 'p-map';
import type { Cluster } from '../domain/cluster.ts';
import { AppError, type ErrorCode, isAppError, type MissingRight } from '../domain/errors.ts';
import { joinFindings, type Finding, type Findings } from '../domain/preflight/findings.ts';
import { podOf } from '../domain/preflight/pod-of.ts';
import { redact } from '../domain/redact.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../domain/resource.ts';
import { HELM_MANAGER, isHook, marked } from './plan-fields.ts';
import type { Ports } from './ports.ts';

export interface CheckInput {
  /** What a chart renders, without its definitions. */
  readonly objects: readonly KubeObject[];
  /** `<group>/<kind>` of the definitions that the chart brings itself. */
  readonly brought: ReadonlySet<string>;
  readonly release: string;
  /** Of the release; `Made`: it is made with it. */
  readonly namespace: string;
  readonly state: 'There' | 'Made';
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

const MOST = 100;
const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);
const PODS: ServedKind = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true, verbs: [], shortNames: [] };

/**
 * What would become of each object of a chart, by a dry run as the actor: whether it is new, changes, or belongs to somebody else, and whether the
 * pods that it is a template of would be let in. What the actor may not ask is named; the controller has an account of its own.
 */
export async function checkObjects(cluster: Cluster, { discovery }: Pick<Ports, 'discovery'>, input: CheckInput): Promise<Findings> {
  const own = input.objects.filter((object) => !isHook(object));
  const checks = await pMap(
    own.slice(0, MOST),
    async (object) => await checkObject(cluster, await discovery.find(object.apiVersion, object.kind, input.signal), { object, input }),
    { concurrency: 4 },
  );
  const missing = checks.flatMap((check) => check.missing ?? []);
  const left = own.length - MOST;
  const unchecked = [...unasked(missing), ...(left > 0 ? [line(`${left} more objects were not looked at`, 'Object')] : [])];
  return joinFindings([...checks.map(({ findings }) => findings), { unchecked }]);
}

interface Question {
  readonly object: KubeObject;
  readonly input: CheckInput;
}

interface Check {
  readonly findings: Partial<Findings>;
  readonly missing?: readonly MissingRight[];
}

async function checkObject(cluster: Cluster, kind: ServedKind | undefined, question: Question): Promise<Check> {
  const { object, input } = question;
  const name = nameOf(question);
  if (kind === undefined) {
    if (input.brought.has(`${parseApiVersion(object.apiVersion).group}/${object.kind}`)) {
      return { findings: { created: [line(`${name}, once its kind is there`, 'Object', 'estimate')] } };
    }
    return { findings: { blocked: [line(`${name}: the cluster has no kind ${object.kind} of ${object.apiVersion}`, 'Validation')] } };
  }
  const [written, pods] = await Promise.all([checkWrite(cluster, kind, question), checkPods(cluster, question)]);
  return { findings: joinFindings([written.findings, pods.findings]), missing: [...(written.missing ?? []), ...(pods.missing ?? [])] };
}

async function checkWrite(cluster: Cluster, kind: ServedKind, question: Question): Promise<Check> {
  const { object, input } = question;
  const wanted = marked(object, kind, input);
  const name = nameOf(question);
  const { signal } = input;
  return await asked(
    { verb: 'patch', kind, wanted },
    async () => {
      const live = await findLive(cluster, kind, { wanted, signal });
      const owner = live === undefined ? undefined : foreignOwner(live, input);
      if (owner !== undefined) return { findings: { blocked: [line(`${name} is there already: ${owner}`, 'Object')] } };
      const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', dryRun: 'All', signal } as const;
      try {
        const { object: after, warnings } = await cluster.apply(kind, wanted, options);
        const warned = warnings.map((warning) => line(`${name}: ${warning}`, 'Policy'));
        if (live === undefined) return { findings: { created: [line(name, 'Object')], warned } };
        const same = after.metadata.resourceVersion === live.metadata.resourceVersion;
        return { findings: same ? { warned } : { changed: [line(name, 'Object')], warned } };
      } catch (error) {
        // What goes into a namespace that is not there yet cannot be asked for.
        if (isAppError(error, 'NotFound') && input.state === 'Made') return { findings: { created: [line(name, 'Object', 'estimate')] } };
        throw error;
      }
    },
    (error) => ({ findings: { blocked: [line(redact(`${name}: ${error.message}`, input.secrets).slice(0, 600), 'Validation')] } }),
  );
}

/** A dry run of a Pod is the only exact answer about Pod Security, limit ranges and quota. */
async function checkPods(cluster: Cluster, question: Question): Promise<Check> {
  const { object, input } = question;
  const pod = podOf(object, input.namespace);
  if (pod === undefined || input.state === 'Made') return { findings: {} };
  return await asked(
    { verb: 'create', kind: PODS, wanted: pod },
    async () => {
      await cluster.create(PODS, pod, { dryRun: 'All', fieldValidation: 'Ignore', signal: input.signal });
      return { findings: {} };
    },
    (error) => {
      // The account of the pod is a part of the chart, and not there yet.
      if (/serviceaccount .* not found|error looking up service account/i.test(error.message)) return { findings: {} };
      const message = redact(`Pods of ${nameOf(question)} will be refused: ${error.message}`, input.secrets).slice(0, 600);
      return { findings: { warned: [line(message, error.message.includes('PodSecurity') ? 'PodSecurity' : 'LimitRange')] } };
    },
  );
}

async function asked(
  { verb, kind, wanted }: { readonly verb: string; readonly kind: ServedKind; readonly wanted: KubeObject },
  ask: () => Promise<Check>,
  refused: (error: AppError) => Check,
): Promise<Check> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    if (error.code !== 'Forbidden') return refused(error);
    const { namespace } = wanted.metadata;
    const right = { verb, group: kind.group, resource: kind.resource, ...(namespace === undefined ? {} : { namespace }) };
    return { findings: {}, missing: [error.missing ?? right] };
  }
}

async function findLive(
  cluster: Pick<Cluster, 'get'>,
  kind: ServedKind,
  { wanted, signal }: { readonly wanted: KubeObject; readonly signal: AbortSignal },
): Promise<KubeObject | undefined> {
  const { name, namespace } = wanted.metadata;
  try {
    return await cluster.get({ ...kind, name, ...(namespace === undefined ? {} : { namespace }) }, { signal });
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Whom an object belongs to that the release would have to take over; Helm refuses then. */
function foreignOwner({ metadata }: KubeObject, { release, namespace }: CheckInput): string | undefined {
  const [name, place] = ['name', 'namespace'].map((part) => metadata.annotations?.[`meta.helm.sh/release-${part}`]);
  if (name === release && place === namespace) return undefined;
  return name === undefined ? 'no release has made it' : `it belongs to the release ${place ?? ''}/${name}`;
}

/** One line for all that the actor may not try. */
export function unasked(missing: readonly MissingRight[]): Finding[] {
  const rights = [...new Set(missing.map(({ verb, resource, group }) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`))].sort();
  if (rights.length === 0) return [];
  const message = `You may not do yourself what the controller does with its own account, so this was not tried: ${rights.join(', ')}`;
  return [line(message, 'Right')];
}

function nameOf({ object: { kind, metadata }, input }: Question): string {
  return redact(`${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`, input.secrets);
}

function line(message: string, about: Finding['about'], evidence: Finding['evidence'] = 'exact'): Finding {
  return { message, about, evidence };
}
