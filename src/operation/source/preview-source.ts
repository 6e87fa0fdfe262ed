import pMap from 'p-map';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND, type SourceFault, type SourceSpec } from '../../domain/source/catalog-source.ts';
import { providedBy } from '../../domain/source/apply-order.ts';
import {
  addressOfItem,
  type Candidate,
  idOfItem,
  type InventoryAddress,
  labelled,
  nameOfItem,
  refOf,
  sortFaults,
  sourceLabels,
} from '../../domain/source/check-documents.ts';
import type { SourceCommit } from '../../domain/source/git-source.ts';
import { sourceView } from '../../domain/source/source-view.ts';
import { findKinds, type ParsedFolder, type Stock, stockOf } from '../../domain/source/stock.ts';
import { objectChanges } from '../../domain/upgrade/preview/object-changes.ts';
import type { ObjectChange } from '../../domain/upgrade/preview/previewed-objects.ts';
import { redactTexts, secretsOf } from '../instance/instance-masking.ts';
import { markedFor } from '../resource/find-resource.ts';
import type { Ports } from '../ports.ts';
import { sensitiveIn, textsOf } from '../../schema/sensitive/mask.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { findSource, requirePatch, type SourceAddress, sourceWords } from './find-source.ts';

export interface PreviewInput extends SourceAddress {
  /** As `withPreviewRef` reads it; absent: the ref of the source. */
  readonly ref?: string;
}

/** What a revision would do now. Nothing is written for it. */
export interface SourcePreview extends Pick<SourceSpec, 'serviceAccount'> {
  readonly name: string;
  /** The user with whose permissions everything was read and dry-run. The sync has those of `serviceAccount`, or of the controller. */
  readonly runsAs: string;
  readonly revision: string;
  readonly commit?: SourceCommit;
  readonly lastAppliedRevision?: string;
  /** Resources that are created or changed. What is sensitive in them is masked. */
  readonly changes: readonly ObjectChange[];
  /** How many further changes are not listed. */
  readonly omitted: number;
  readonly unchanged: number;
  /** Resources that lose their document and are deleted, or stay where the source does not prune. */
  readonly removed: readonly RemovedResource[];
  readonly faults: readonly SourceFault[];
  /** Permissions without which some resources were not compared. */
  readonly missing: readonly MissingPermission[];
  /** Whether exactly this revision waits for an approval of its deletions. */
  readonly awaitsApproval: boolean;
}

export interface RemovedResource extends InventoryAddress {
  /** `HandedOver`: another source has a document of it. */
  readonly outcome: 'Deleted' | 'HandedOver' | 'Kept';
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'sourcePreviews'>;

/** The time to fetch, parse and compare a revision. */
const PREVIEW_MS = 120_000;

/**
 * Fetches a revision, checks it as the reconciler does, and compares each document with what is live. The process that serves the pages does this, with what
 * the actor may read: their permission to get the Secret of the source, and to apply each resource, decides. So a preview shows nobody what they may not
 * see, and works wherever the controller runs.
 *
 * @throws AppError as `findSource` and `SourcePreviewPorts.read`; `Forbidden` without the permission to patch the source, as fetching is work on its behalf;
 *   `InvalidInput` for what is no ref.
 */
export async function previewSource(ports: Needs, actor: Actor, input: PreviewInput): Promise<SourcePreview> {
  const source = await findSource(ports, actor, input);
  await requirePatch(ports, actor, { ...input, what: 'a preview' });
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const wanted = input.ref === undefined ? spec : withPreviewRef(spec, input.ref);
  const signal = AbortSignal.timeout(PREVIEW_MS);
  try {
    return await ports.sourcePreviews.queue.run(actor.user, signal, async () => {
      const folder = await ports.sourcePreviews.read({ source, spec: wanted, cluster: ports.clusters.asActor(actor) }, signal);
      return await compare(ports, actor, { source, spec, folder, signal });
    });
  } catch (error) {
    if (!signal.aborted || (error instanceof AppError && error.code !== 'ClusterUnavailable')) throw error;
    const why = `it takes longer than ${PREVIEW_MS / 1000} seconds; try again later, or a smaller folder`;
    throw new AppError('TooBusy', `${sourceWords(input)}: preview: ${why}`, { cause: error });
  }
}

interface Comparison {
  readonly source: KubeObject;
  readonly spec: SourceSpec;
  readonly folder: Extract<ParsedFolder, { kind: 'Read' }>;
  readonly signal: AbortSignal;
}

async function compare(ports: Needs, actor: Actor, input: Comparison): Promise<SourcePreview> {
  const { source, spec, folder, signal } = input;
  const { awaitsApproval, lastAppliedRevision } = sourceView(source);
  const { name } = source.metadata;
  const kindOf = await findKinds(folder.files, (apiVersion, kind) => ports.discovery.find(apiVersion, kind, signal));
  const stock = stockOf(folder, { spec, kindOf });
  const { items: sources } = await ports.clusters.asActor(actor).list(CATALOG_SOURCE, { signal });
  const dryRuns = await dryRunAll(ports, actor, { ...input, stock, sources });
  const compared = changesOf(dryRuns);
  return {
    name,
    runsAs: actor.user,
    ...(spec.serviceAccount === undefined ? {} : { serviceAccount: spec.serviceAccount }),
    revision: stock.revision,
    ...(stock.commit === undefined ? {} : { commit: stock.commit }),
    ...(lastAppliedRevision === undefined ? {} : { lastAppliedRevision }),
    ...compared,
    removed: removedOf(source, { stock, sources, prune: spec.prune }),
    faults: sortFaults([...stock.faults, ...dryRuns.flatMap(({ faults }) => faults)]),
    missing: uniquePermissions(dryRuns),
    awaitsApproval: awaitsApproval === stock.revision,
  };
}

interface DryRun {
  readonly live?: KubeObject;
  /** As a dry run answers; absent when it was rejected. */
  readonly wanted?: KubeObject;
  readonly secrets: readonly string[];
  readonly faults: readonly SourceFault[];
  readonly missing?: MissingPermission;
}

type Stocked = Comparison & { readonly stock: Stock; readonly sources: readonly KubeObject[] };

async function dryRunAll(ports: Needs, actor: Actor, { source, spec, stock, sources, signal }: Stocked): Promise<readonly DryRun[]> {
  const { name } = source.metadata;
  const labels = sourceLabels(name, spec);
  const isProvided = providedBy(stock.candidates);
  const dryRunOne = async (candidate: Candidate): Promise<DryRun> => {
    const answers: KubeObject[] = [];
    const cluster = dryRunsOnly(ports.clusters.asActor(actor), answers);
    const marked = markedFor(ports, candidate.type);
    try {
      const live = await ifFound(cluster.get(refOf(candidate), { signal }));
      const { faults: found, needs } = await ports.sourcePreviews.dryRun(cluster, { candidate, source: name, sources, labels, signal });
      const isDeferred = isProvided(candidate, needs);
      const wanted = isDeferred ? labelled(candidate, labels) : found.length === 0 ? answers.at(-1) : undefined;
      const secrets = secretsOf(marked, ...[live, wanted, candidate.object].flatMap((one) => (one === undefined ? [] : [one])));
      const sides = { ...(live === undefined ? {} : { live }), ...(wanted === undefined ? {} : { wanted }) };
      return { ...sides, secrets, faults: isDeferred ? [] : redactTexts(found, secrets) };
    } catch (error) {
      if (!isAppError(error, 'Forbidden')) throw error;
      if (error.missing !== undefined) return { secrets: [], faults: [], missing: error.missing };
      return { secrets: [], faults: [faultAt(candidate, error.message)] };
    }
  };
  const awaited = stock.waiting.map((document): DryRun => {
    const wanted = labelled(document, labels);
    return { wanted, secrets: textsOf(sensitiveIn(BY_NAMES, wanted)), faults: [] };
  });
  return [...(await pMap(stock.candidates, dryRunOne, { concurrency: 8, signal })), ...awaited];
}

function faultAt({ document, resource }: Candidate, message: string): SourceFault {
  return { file: document.file, ...document.locate('metadata.name'), resource, message };
}

/** The api-server, where every write is a dry run. @param answers what applying would have made. */
function dryRunsOnly(cluster: Cluster, answers: KubeObject[]): Cluster {
  const dryRun = 'All';
  return {
    ...cluster,
    create: (type, object, options) => cluster.create(type, object, { ...options, dryRun }),
    replace: (type, object, options) => cluster.replace(type, object, { ...options, dryRun }),
    patch: (ref, patch, options) => cluster.patch(ref, patch, { ...options, dryRun }),
    delete: (ref, options) => cluster.delete(ref, { ...options, dryRun }),
    evict: (pod, options) => cluster.evict(pod, { ...options, dryRun }),
    applyStatus: (type, object, options) => cluster.applyStatus(type, object, { ...options, dryRun }),
    apply: async (type, object, options) => {
      const written = await cluster.apply(type, object, { ...options, dryRun });
      answers.push({ ...written.object, apiVersion: object.apiVersion, kind: object.kind });
      return written;
    },
  };
}

function changesOf(dryRuns: readonly DryRun[]): Pick<SourcePreview, 'changes' | 'unchanged' | 'omitted'> {
  const compared = dryRuns.filter(({ wanted }) => wanted !== undefined);
  return objectChanges({
    from: compared.flatMap(({ live }) => (live === undefined ? [] : [withoutServerFields(live)])),
    to: compared.flatMap(({ wanted }) => (wanted === undefined ? [] : [withoutServerFields(wanted)])),
    namespace: '',
    secrets: [...new Set(compared.flatMap(({ secrets }) => secrets))],
  });
}

/** What the api-server writes itself, and the copy of a whole object that `kubectl apply` leaves. */
function withoutServerFields({ status: _status, metadata, ...object }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations: all = {} } = metadata;
  const { 'kubectl.kubernetes.io/last-applied-configuration': _copy, ...annotations } = all;
  const shown = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return { ...object, apiVersion: object.apiVersion, kind: object.kind, metadata: shown };
}

interface RemovalInput {
  readonly stock: Stock;
  readonly sources: readonly KubeObject[];
  readonly prune: boolean;
}

/** A source that has a document of a resource of another one has a fault that names it. */
function removedOf(source: KubeObject, { stock, sources, prune }: RemovalInput): RemovedResource[] {
  const others = sources.filter(({ metadata }) => metadata.name !== source.metadata.name);
  const claimed = new Set(others.flatMap((one) => statusOf(CATALOG_SOURCE_KIND, one).faults.map(({ resource }) => resource)));
  const left = statusOf(CATALOG_SOURCE_KIND, source).inventory.filter((item) => !stock.named.has(idOfItem(item)));
  return left.map((item) => {
    return { ...addressOfItem(item), outcome: claimed.has(nameOfItem(item)) ? 'HandedOver' : prune ? 'Deleted' : 'Kept' };
  });
}

function uniquePermissions(dryRuns: readonly DryRun[]): readonly MissingPermission[] {
  const all = dryRuns.flatMap(({ missing }) => (missing === undefined ? [] : [missing]));
  return [...new Map(all.map((one) => [stringifyJson(one), one])).values()];
}

/** What git takes for a branch or a tag, as the rule of `spec.git.ref` has it. */
const NAME = /^[A-Za-z0-9_][-A-Za-z0-9_./+]*$/;
/** As the patterns of `spec.oci.ref` have it. */
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const RANGE = /^[\w\s.<>=~^|*+-]+$/;
const MAX_NAME = 255;

/**
 * The spec of a source with the ref that a person wants to preview. Of a repository `main` (a branch), `tag:v1.4.0`, `semver:>=1.2.0 <2.0.0`, or a commit
 * by its whole SHA-1; of an artifact a tag, `semver:…` or the digest. Nothing else reaches the host.
 *
 * @throws AppError `InvalidInput`, also for a folder, which has no refs.
 */
function withPreviewRef(spec: SourceSpec, text: string): SourceSpec {
  const ref = text.trim();
  const { git, oci } = spec;
  if (git !== undefined) return { ...spec, git: { ...git, ref: gitRef(ref) } };
  if (oci !== undefined) return { ...spec, oci: { ...oci, ref: artifactRef(ref) } };
  throw invalid(ref, 'The source is a folder, which has no refs');
}

function gitRef(ref: string): NonNullable<NonNullable<SourceSpec['git']>['ref']> {
  const hint = 'Enter a branch, tag:NAME, semver:RANGE or a commit by its 40 characters';
  if (/^[0-9a-f]{40}$/.test(ref)) return { commit: ref };
  if (ref.startsWith('semver:')) return { semver: checked(ref.slice('semver:'.length), RANGE, hint) };
  if (ref.startsWith('tag:')) return { tag: checked(ref.slice('tag:'.length), NAME, hint) };
  return { branch: checked(ref.replace(/^branch:/, ''), NAME, hint) };
}

function artifactRef(ref: string): NonNullable<NonNullable<SourceSpec['oci']>['ref']> {
  const hint = 'Enter a tag, semver:RANGE or the digest sha256:… of the manifest';
  if (/^sha256:[0-9a-f]{64}$/.test(ref)) return { digest: ref };
  if (ref.startsWith('semver:')) return { semver: checked(ref.slice('semver:'.length), RANGE, hint) };
  return { tag: checked(ref.replace(/^tag:/, ''), TAG, hint) };
}

function checked(name: string, pattern: RegExp, hint: string): string {
  const isName = name.length <= MAX_NAME && pattern.test(name) && !name.includes('..') && !name.endsWith('.lock') && !name.endsWith('/');
  if (isName) return name;
  throw invalid(name, hint);
}

function invalid(ref: string, message: string): AppError {
  return new AppError('InvalidInput', `ref: ${JSON.stringify(ref.slice(0, 60))}: ${message}`, { faults: [{ field: 'ref', message }] });
}
