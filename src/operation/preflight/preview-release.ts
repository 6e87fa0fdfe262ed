import { generatedKind } from '../../domain/app-instance/instance.ts';
import { parseInstanceStatus } from '../../domain/app-instance/instance.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { isObjectFault } from '../../domain/chart/object-faults.ts';
import { conversionsSentence } from '../../domain/chart/rendered-chart.ts';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { networkPolicyOf } from '../../domain/environment/network-policy.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { DryRunCluster, Written } from '../../domain/kubernetes/cluster.ts';
import { NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import type { ReleaseObjects } from '../../domain/preflight/check-constraints.ts';
import { ALLOWED_ACCOUNTS, allowedAccounts, powerfulAccounts } from '../../domain/preflight/powerful-accounts.ts';
import { networkOpenings } from '../../domain/preflight/network-openings.ts';
import { type Finding, type Findings, joinFindings, type Remedy } from '../../domain/preflight/findings.ts';
import { objectChanges } from '../../domain/upgrade/preview/object-changes.ts';
import type { PreviewedObjects } from '../../domain/upgrade/preview/previewed-objects.ts';
import { type ReleaseImage, releaseImages } from '../../domain/workload/pod-template.ts';
import type { FoundInstance } from '../instance/find-instance.ts';
import { redactTexts } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { runQueued } from '../upgrade/upgrade-ports.ts';
import { type CheckedObjects, checkObjects, checkObjectsElsewhere } from './check-objects.ts';
import { deployerDryRun } from './deployer-dry-run.ts';
import { type RenderContext, type RenderedRelease, renderRelease } from './render-release.ts';

/** What installing or changing an instance of a chart does to its release. */
export interface ReleasePreview {
  /** The rendered objects against those that the release has. Absent where they could not be rendered. */
  readonly objects?: PreviewedObjects;
  readonly images: readonly ReleaseImage[];
  readonly findings: Findings;
  /** Whether the release can be made is unknown. */
  readonly incomplete?: true;
  /** What would let the deployer of the environment apply it. */
  readonly remedies: readonly Remedy[];
  /** What quotas and nodes are compared with; absent where it could not be rendered. */
  readonly release?: ReleaseObjects;
}

export interface PreviewInput extends Pick<FoundInstance, 'entry' | 'environment'> {
  /** As it is live; absent when it is new. */
  readonly object?: KubeObject;
  readonly changed: KubeObject;
  /** The api-server's dry run of the write, as the actor. */
  readonly write: Promise<Written>;
}

type PreviewPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery'> & Partial<Pick<Ports, 'upgrades'>>;

const TIMEOUT_MS = 20_000;
const NOTHING = { images: [], remedies: [] } as const;

/**
 * Renders the release of an instance of a chart as its controller does, compares the objects with those that it has, and has each tried as the deployer of the
 * environment. Only for an actor of whom the api-server has said that they may write the instance: then it is their permission to have it released. They learn
 * whether an object would be admitted, never what is in one. Undefined for instances of Operators. What the templates look up in the cluster is not known.
 */
export async function previewRelease(ports: PreviewPorts, actor: Actor, input: PreviewInput): Promise<ReleasePreview | undefined> {
  const { upgrades } = ports;
  const { entry, environment, object, changed } = input;
  const kind = generatedKind(entry.crd);
  if (kind === undefined || upgrades === undefined) return undefined;
  const accepted = await isAccepted(input.write);
  if (object === undefined && !accepted) return undefined;
  try {
    return await runQueued(upgrades, { actor, milliseconds: TIMEOUT_MS }, async (signal) => {
      const released = object !== undefined && parseInstanceStatus(object).release !== undefined ? object : undefined;
      const live = object === undefined ? {} : { object };
      const context = { ports: { ...ports, upgrades }, actor, entry, kind, environment, ...live, signal };
      const from = released === undefined ? undefined : await renderRelease(context, released);
      const to = await renderRelease(context, changed);
      return await previewed(context, { ...(from === undefined ? {} : { from }), to, tried: accepted ? 'Tried' : 'Untried' });
    });
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === 'ChartNotFound') return { ...NOTHING, findings: joinFindings([notFound(error)]) };
    const found = line(`The release was not checked: ${error.message}`);
    return { ...NOTHING, incomplete: true, findings: joinFindings([{ unchecked: [found] }]) };
  }
}

/** A version that the instance asks for and nobody offers is not released; a chart that is not there yet may come. */
function notFound({ message, faults: [fault] }: AppError): Partial<Findings> {
  if (fault?.field === undefined) return { warned: [line(message)] };
  return { blocked: [{ ...line(message), field: fault.field }] };
}

/** What of a preview quotas and nodes are compared with. */
export function releaseIn(preview: ReleasePreview | undefined): { readonly release?: ReleaseObjects } {
  return preview?.release === undefined ? {} : { release: preview.release };
}

/** A preflight with the objects and images of the release, and with what would let its deployer apply it. */
export function withRelease(found: Preflight, preview: ReleasePreview | undefined): Preflight {
  if (preview === undefined) return found;
  const { objects, images, remedies: more } = preview;
  const remedies = [...found.remedies, ...more];
  const grant = more.length === 0 ? {} : { grant: remedies.map(({ yaml }) => yaml).join('---\n') };
  const verdict = found.verdict === 'Ready' && preview.incomplete === true ? 'Incomplete' : found.verdict;
  return { ...found, verdict, ...grant, remedies, images, ...(objects === undefined ? {} : { objects }) };
}

async function isAccepted(write: Promise<Written>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

interface Sides {
  readonly from?: RenderedRelease;
  readonly to: RenderedRelease;
  readonly tried: 'Tried' | 'Untried';
}

async function previewed(context: RenderContext, { from, to, tried }: Sides): Promise<ReleasePreview> {
  const { namespace, state } = to.place;
  const secrets = [...(from?.secrets ?? []), ...to.secrets];
  const faults = unrendered(to).map(({ message }) => line(redact(`The chart does not render with these values: ${message}`, secrets)));
  const unread = [line('Values come from Secrets that you may not read, so the objects of the release may differ')];
  const unchecked = to.unread > 0 ? unread : [];
  const sources = to.faults.map((message) => line(redact(message, secrets)));
  if (faults.length > 0) {
    const reported = to.unread > 0 || sources.length > 0 || tried === 'Untried' ? { warned: faults } : { blocked: faults };
    return { ...NOTHING, findings: joinFindings([reported, { warned: sources, unchecked }]) };
  }
  const isKnown = from !== undefined && unrendered(from).length === 0;
  const compared = { from: isKnown ? from.rendered.objects : [], to: to.rendered.objects, namespace, secrets };
  const objects = from === undefined || isKnown ? { objects: objectChanges(compared) } : {};
  const images = redactTexts(releaseImages(to.rendered.objects, to.rendered.rewrittenImages), secrets);
  if (tried === 'Untried') return { ...NOTHING, ...objects, images, findings: joinFindings([{ unchecked }]) };
  const checked = await checkRelease(context, to);
  const kinds = await context.ports.discovery.kinds(context.signal);
  const plurals = new Map(kinds.map(({ group, kind, resource }) => [`${group}/${kind}`, resource]));
  const nodes = await context.ports.upgrades.known.nodes(context.signal);
  const release = { to: to.rendered.objects, ...(isKnown ? { from: from.rendered.objects } : {}), plurals, nodes: nodes ?? [] };
  return {
    ...objects,
    images,
    // What a namespace holds that is still to be made, no quota says.
    ...(state === 'Missing' ? {} : { release }),
    remedies: checked.remedies,
    ...(to.rendered.unchecked.length === 0 ? {} : { incomplete: true as const }),
    findings: joinFindings([{ warned: sources, unchecked }, checked.findings, { unchecked: nodes === undefined ? [unknownNodes()] : [] }]),
  };
}

/** Why a chart does not render at all. */
function unrendered({ rendered }: RenderedRelease): RenderedRelease['rendered']['faults'] {
  return rendered.faults.filter((fault) => !isObjectFault(fault));
}

/** Objects that the release may not have are named, and then nothing is tried: helm would write nothing, either. */
async function checkRelease(context: RenderContext, to: RenderedRelease): Promise<Pick<CheckedObjects, 'findings' | 'remedies'>> {
  const { ports, actor, environment, signal } = context;
  const { rendered, secrets, release, unread, faults } = to;
  const { namespace, state } = to.place;
  const forbidden = rendered.faults.filter(isObjectFault);
  const converted =
    rendered.conversions.length === 0 ? [] : [line(`Deprecated APIs are converted: ${conversionsSentence(rendered.conversions)}`)];
  const opened = networkFindings(context, to);
  const known = { warned: [...converted, ...opened], unchecked: rendered.unchecked.map(line) };
  if (forbidden.length > 0) {
    const blocked = forbidden.map(({ message }): Finding => ({ ...line(redact(message, secrets)), subject: 'Object' }));
    return { findings: joinFindings([known, { blocked }]), remedies: [] };
  }
  const standIn = environment.namespace;
  const dryRunsIn = async (place: string) =>
    await deployerDryRun(ports, actor, { definition: context.entry.operator, namespace: place, signal });
  const own = await dryRunsIn(namespace);
  const hidden = await hiddenKinds(context, state === 'Missing' ? standIn : namespace, rendered.objects);
  const content = { objects: rendered.objects, crds: [], kindsOfChart: new Set<string>() };
  const input = { release, namespace, ...content, hidden, secrets, signal };
  const { findings, remedies } =
    state === 'Missing'
      ? await checkObjectsElsewhere({ standIn: await dryRunsIn(standIn), own }, ports, { ...input, standIn })
      : await checkObjects(own, ports, { ...input, state: 'Exists', forbidden: [] });
  const accounts = state === 'Missing' ? [] : await accountFindings(own.cluster, to, signal);
  const joined = joinFindings([findings, { blocked: accounts }]);
  // With stand-ins for values that the actor may not read, a rejection says little.
  const reported = unread + faults.length === 0 ? joined : { ...joined, blocked: [], warned: [...joined.blocked, ...joined.warned] };
  return { findings: joinFindings([known, reported]), remedies };
}

/** Pods that the policy on service accounts will not admit, because of the roles that come with them. */
async function accountFindings(
  cluster: Pick<DryRunCluster, 'metadataOf'>,
  { rendered: { objects }, place: { namespace }, secrets }: RenderedRelease,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const powerful = powerfulAccounts(objects, namespace);
  if (powerful.length === 0) return [];
  const found = cluster.metadataOf({ ...NAMESPACE, name: namespace }, { signal });
  const listed = allowedAccounts(
    await found.catch((error: unknown) => (isAppError(error, 'Forbidden') ? undefined : Promise.reject(error))),
  );
  const missing = powerful.filter(({ account }) => !listed.includes(account));
  const all = [...listed, ...missing.map(({ account }) => account)].join(',');
  return missing.map(({ account, workload, powers }) => {
    const what = `Pods of ${workload} will be rejected: their service account ${account} may ${powers.join(', ')}, more than the members of the environment`;
    const message = `${what}. To allow it, an admin runs: kubectl annotate namespace ${namespace} ${ALLOWED_ACCOUNTS}=${all} --overwrite`;
    return { message: redact(message, secrets), subject: 'Policy', evidence: 'exact' };
  });
}

/** What NetworkPolicies of the release open. */
function networkFindings({ entry, environment }: RenderContext, { rendered, secrets }: RenderedRelease): readonly Finding[] {
  const policy = networkPolicyOf(environment.networkPolicy, specOf(APP_DEFINITION_KIND, entry.operator).policy.networkPolicy);
  if (policy === undefined) return [];
  const opened = networkOpenings(rendered.objects, { policy, environment: environment.name });
  return opened.map((message) => ({ ...line(redact(message, secrets)), subject: 'Object' }));
}

/** Kinds whose objects the actor may not read: whether one differs from what is live would tell them what is in it. */
async function hiddenKinds(
  { ports, actor, signal }: RenderContext,
  namespace: string,
  objects: readonly KubeObject[],
): Promise<ReadonlySet<string>> {
  const cluster = ports.clusters.asActor(actor);
  const keys = [...new Set(objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))];
  const asked = keys.map(async (key) => {
    const [apiVersion = '', kind = ''] = key.split(' ');
    const served = await ports.discovery.find(apiVersion, kind, signal);
    if (served === undefined) return [];
    const { group } = parseApiVersion(apiVersion);
    const place = served.namespaced ? { namespace } : {};
    const { allowed } = await cluster.review({ verb: 'get', group, resource: served.resource, ...place }, { signal });
    return allowed ? [] : [key];
  });
  return new Set((await Promise.all(asked)).flat());
}

function unknownNodes(): Finding {
  return { ...line('Whether a node could take its pods is unknown: Chandlery may not list nodes, or there are too many'), subject: 'Node' };
}

function line(message: string): Finding {
  return { message, subject: 'Chart', evidence: 'exact' };
}
