import { newestFirst } from '../../domain/chart/chart-version.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { applyMergePatch, isSame } from '../../domain/core/merge-patch.ts';
import { at, textAt } from '../../domain/core/read.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain, OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_RELEASE, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_RELEASE_KIND, type ReleaseComponent, type ReleaseSpec, type ReleaseStatus } from '../../domain/release/catalog-release.ts';
import { liveRelease } from '../../domain/release/release-status.ts';
import type { UpgradePreview } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { Ports } from '../ports.ts';
import { previewUpgrade } from '../upgrade/preview-upgrade.ts';

/** A CatalogRelease: what it consists of, what runs it, and what is next. */
export interface ReleaseView
  extends Pick<ReleaseSpec, 'version' | 'state' | 'upgradesFrom'>, Pick<ReleaseStatus, 'targets' | 'next' | 'conditions'> {
  readonly name: string;
  /** Without base values. */
  readonly components: readonly Omit<ReleaseComponent, 'values'>[];
}

/** What moving to a release would do to one Operator of an earlier one. */
export interface ReleaseUpgradeItem {
  readonly component: string;
  readonly operator: { readonly namespace: string; readonly name: string };
  /** The installation and its cluster or environment, as `installation.cluster`; empty when the label is missing. */
  readonly target: string;
  /** The release that it is of now. */
  readonly release: string;
  readonly from: string;
  readonly to: string;
  /** Whether base values of the release change `spec.values`. */
  readonly changesValues: boolean;
  readonly preview?: UpgradePreview;
  /** Why there is no preview. */
  readonly failure?: string;
}

export interface ReleaseUpgradePreview {
  readonly release: string;
  /** Operators whose chart version or values change, by namespace and name. */
  readonly items: readonly ReleaseUpgradeItem[];
  /** How many more there are; ask for one target, or for an Operator by itself. */
  readonly omitted: number;
}

interface ReleaseAddress {
  readonly name: string;
}

/** Each preview renders a chart twice. */
const MAX_PREVIEWS = 10;

/** The CatalogReleases, read as the actor, the newest first. @throws AppError `Forbidden`. */
export async function listReleases({ clusters }: Pick<Ports, 'clusters'>, actor: Actor): Promise<ReleaseView[]> {
  const { items } = await clusters.asActor(actor).list(CATALOG_RELEASE);
  return items.map(viewOf).sort((a, b) => newestFirst(a.version, b.version) || a.name.localeCompare(b.name));
}

/** One CatalogRelease, read as the actor. @throws AppError `NotFound`, `Forbidden`. */
export async function showRelease(ports: Pick<Ports, 'clusters'>, actor: Actor, address: ReleaseAddress): Promise<ReleaseView> {
  return viewOf(await findRelease(ports, actor, address));
}

/**
 * What a release would change, found without writing: the upgrade preview of each Operator of another release of the provider whose chart version or values
 * change.
 *
 * @param input.target only there, as `installation.cluster`.
 * @throws AppError as `showRelease`. What fails for one Operator is in its item.
 */
export async function previewRelease(
  ports: Parameters<typeof previewUpgrade>[0],
  actor: Actor,
  input: ReleaseAddress & { readonly target?: string },
): Promise<ReleaseUpgradePreview> {
  const object = await findRelease(ports, actor, input);
  const { items } = await ports.clusters.asActor(actor).list(OPERATOR);
  const changes = items
    .flatMap((operator) => changeOf(object, operator))
    .filter(({ item }) => input.target === undefined || item.target === input.target)
    .sort((a, b) => keyOf(a.item).localeCompare(keyOf(b.item)));
  const previewed: ReleaseUpgradeItem[] = [];
  for (const { item, values } of changes.slice(0, MAX_PREVIEWS)) {
    const asked = { ...item.operator, version: item.to, ...(values === undefined ? {} : { values }) };
    previewed.push({ ...item, ...(await attempt(async () => await previewUpgrade(ports, actor, asked))) });
  }
  return { release: input.name, items: previewed, omitted: Math.max(0, changes.length - MAX_PREVIEWS) };
}

async function findRelease({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, { name }: ReleaseAddress): Promise<KubeObject> {
  const missing = new AppError('NotFound', `release ${JSON.stringify(name.slice(0, 253))}: it does not exist in the cluster`);
  if (!isDnsSubdomain(name)) throw missing;
  try {
    return await clusters.asActor(actor).get({ ...CATALOG_RELEASE, name });
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}

function viewOf(object: KubeObject): ReleaseView {
  const { name, spec } = liveRelease(object);
  const { version, state, upgradesFrom } = spec;
  const { targets, next, conditions } = statusOf(CATALOG_RELEASE_KIND, object);
  return {
    name,
    version,
    state,
    upgradesFrom,
    components: spec.components.map(({ values: _values, ...component }) => component),
    targets,
    next,
    conditions,
  };
}

interface OperatorChange {
  readonly item: ReleaseUpgradeItem;
  /** A merge patch of `spec.values`. */
  readonly values?: NonNullable<ReleaseComponent['values']>;
}

/** Of an Operator of the same provider whose component differs; the release that it is of is known by its label alone. */
function changeOf(object: KubeObject, { metadata, spec }: KubeObject): OperatorChange[] {
  const { name, provider, spec: release } = liveRelease(object);
  const label = metadata.labels?.[OURS.releaseLabel] ?? '';
  const component = release.components.find((one) => one.name === metadata.name);
  const from = textAt(spec, 'chart', 'version');
  const isOfProvider = provider === '' ? /^v\d/.test(label) : label.startsWith(`${provider}-v`);
  if (component === undefined || from === undefined || !isOfProvider || label === name) return [];
  const own = at(spec, 'values') ?? {};
  const changesValues = component.values !== undefined && !isSame(applyMergePatch(own, component.values), own);
  if (from === component.version && !changesValues) return [];
  const item = {
    component: component.name,
    operator: { namespace: metadata.namespace ?? 'default', name: metadata.name },
    target: metadata.labels?.[OURS.releaseTargetLabel] ?? '',
    release: label,
    from,
    to: component.version,
    changesValues,
  };
  return [{ item, ...(changesValues && component.values !== undefined ? { values: component.values } : {}) }];
}

async function attempt(task: () => Promise<UpgradePreview>): Promise<Pick<ReleaseUpgradeItem, 'preview' | 'failure'>> {
  try {
    return { preview: await task() };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { failure: error.message };
  }
}

function keyOf({ operator }: ReleaseUpgradeItem): string {
  return `${operator.namespace}/${operator.name}`;
}
