import { findCondition } from '../../domain/kubernetes/condition.ts';
import type { ReleaseState } from '../../domain/release/catalog-release.ts';
import type { ReleaseView } from '../../operation/release/catalog-releases.ts';
import type { Badge } from '../page/badges.ts';
import { conditionRows, type ConditionRow } from '../page/conditions.ts';
import { environmentPath, operatorPath, releasePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';

const RELEASES_A_PAGE = 50;
const NAMED_TARGETS = 5;
const NAMED_RESOURCES = 20;

interface Link {
  readonly label: string;
  readonly href: string;
}

/** A view of `releases/index`. */
export interface ReleasesPage {
  readonly total: string;
  readonly rows: readonly {
    readonly name: string;
    readonly href: string;
    readonly version: string;
    readonly state: Badge;
    /** What is wrong with it; empty when nothing is. */
    readonly message: string;
    readonly components: number;
    readonly targets: string;
    readonly next?: Link;
  }[];
  readonly nextHref: string;
  readonly streamHref: string;
}

/** @param after the name of the last release of the page before. */
export function releasesPage(releases: readonly ReleaseView[], after: string): ReleasesPage {
  const rest = releases.slice(releases.findIndex(({ name }) => name === after) + 1);
  const shown = rest.slice(0, RELEASES_A_PAGE);
  const last = shown.at(-1);
  return {
    total: releases.length === 0 ? '' : plural(releases.length, 'release', 'releases'),
    rows: shown.map((release) => ({
      name: release.name,
      href: releasePath(release.name),
      version: release.version,
      state: releaseBadge(release.state),
      message: faultOf(release),
      components: release.components.length,
      targets: targetWords(release),
      ...nextOf(release),
    })),
    streamHref: after === '' ? '/releases/stream' : `/releases/stream?after=${encodeURIComponent(after)}`,
    nextHref: last === undefined || rest.length <= RELEASES_A_PAGE ? '' : `/releases?after=${encodeURIComponent(last.name)}`,
  };
}

/** What is wrong, in one line for screen readers. */
export function releasesStatus(releases: readonly ReleaseView[]): string {
  const faulty = releases.filter((release) => faultOf(release) !== '').length;
  return `${plural(releases.length, 'release', 'releases')}, ${faulty === 0 ? 'none needs attention' : `${faulty} need attention`}`;
}

function releaseBadge(state: ReleaseState): Badge {
  return STATES[state];
}

const STATES: Readonly<Record<ReleaseState, Badge>> = {
  wip: { label: 'Work in progress', tone: 'busy', symbol: 'edit' },
  active: { label: 'Active', tone: 'good', symbol: 'check' },
  deprecated: { label: 'Deprecated', tone: 'warn', symbol: 'warn' },
  archived: { label: 'Archived', tone: 'idle', symbol: 'lock' },
};

function faultOf({ conditions }: ReleaseView): string {
  const ready = findCondition(conditions, 'Ready');
  return ready?.status === 'False' ? ready.message : '';
}

function targetWords({ targets }: ReleaseView): string {
  const names = targets.slice(0, NAMED_TARGETS).map(({ name }) => name);
  const more = targets.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function nextOf({ next: [newest] }: ReleaseView): { readonly next?: Link } {
  return newest === undefined ? {} : { next: { label: newest, href: releasePath(newest) } };
}

/** A view of `releases/show`. */
export interface ReleasePage {
  readonly name: string;
  readonly streamHref: string;
  readonly state: Badge;
  readonly sentence: string;
  readonly tone: Badge['tone'];
  /** Empty for an archived release, as nothing upgrades to it. */
  readonly previewHref: string;
  readonly components: readonly {
    readonly name: string;
    readonly chart: string;
    readonly version: string;
    readonly digest: string;
    readonly dependsOn: string;
  }[];
  readonly targets: readonly TargetRow[];
  readonly version: string;
  readonly upgradesFrom: readonly string[];
  readonly next: readonly Link[];
  readonly conditions: readonly ConditionRow[];
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

interface TargetRow {
  readonly name: string;
  readonly resources: readonly { readonly label: string; readonly href: string }[];
  readonly more: string;
  /** Components that run another version. */
  readonly own: readonly { readonly name: string; readonly version: string; readonly release: string }[];
  /** The previews of its upgrades. */
  readonly next: readonly Link[];
}

export function releasePage(release: ReleaseView): ReleasePage {
  const { name, version, state, upgradesFrom, conditions } = release;
  const ready = findCondition(conditions, 'Ready');
  const badge = releaseBadge(state);
  return {
    name,
    streamHref: releasePath(name, 'stream'),
    version,
    state: badge,
    sentence: ready?.message ?? 'The controller has not reconciled this release yet',
    tone: ready?.status === 'False' ? 'bad' : badge.tone,
    previewHref: state === 'archived' ? '' : releasePath(name, 'upgrade-preview'),
    components: release.components.map(({ chart = '', digest = '', dependsOn, ...component }) => ({
      name: component.name,
      version: component.version,
      chart,
      digest: digest.slice(0, SHOWN_DIGEST),
      dependsOn: dependsOn.join(', '),
    })),
    targets: release.targets.map(targetRow),
    upgradesFrom,
    next: release.next.map((one) => ({ label: one, href: releasePath(one) })),
    conditions: conditionRows(conditions),
    commands: [
      { label: 'Read it', text: `kubectl get catalogrelease ${name} -o yaml` },
      { label: 'Upgrade to it in git', text: `chandlery release upgrade INSTALLATION/CLUSTER --to ${version}` },
    ],
  };
}

/** `sha256:` and twelve characters tell one from another. */
const SHOWN_DIGEST = 'sha256:'.length + 12;

function targetRow({ name, resources, components, next }: ReleaseView['targets'][number]): TargetRow {
  const more = resources.length - NAMED_RESOURCES;
  return {
    name,
    resources: resources.slice(0, NAMED_RESOURCES).map((label) => ({ label, href: resourceHref(label) })),
    more: more > 0 ? `and ${more} more` : '',
    own: components.map(({ release = '', ...component }) => ({ name: component.name, version: component.version, release })),
    next: next.map((one) => ({ label: one, href: `${releasePath(one, 'upgrade-preview')}?target=${encodeURIComponent(name)}` })),
  };
}

/** @param resource `Operator namespace/name` or `Environment name`, as the status has it. */
function resourceHref(resource: string): string {
  const [kind, place = ''] = resource.split(' ');
  const [namespace = '', name] = place.split('/');
  if (kind === 'Operator' && name !== undefined) return operatorPath({ namespace, name });
  return kind === 'Environment' ? environmentPath(place) : '';
}
