import {
  environmentMembersPath,
  environmentMonitoringPath,
  environmentPath,
  environmentResourcesPath,
  environmentTimelinePath,
  environmentWorkloadsPath,
  TIER_BOARD_PATH,
} from '../page/paths.ts';
import type { LimitRule, QuotaUse } from '../../domain/environment/quota-use.ts';
import type { Tone } from '../page/badges.ts';

/** The tabs of an environment, in the order in which they stand. */
const TABS = {
  overview: { label: 'Overview', pathOf: environmentPath },
  workloads: { label: 'Workloads', pathOf: environmentWorkloadsPath },
  resources: { label: 'Resources', pathOf: environmentResourcesPath },
  timeline: { label: 'Timeline', pathOf: environmentTimelinePath },
  monitoring: { label: 'Monitoring', pathOf: environmentMonitoringPath },
  members: { label: 'Members', pathOf: environmentMembersPath },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly pathOf: (environment: string) => string }>>;

/** A tab of the pages about an environment: a view of `parts/tabs`. */
export interface EnvironmentTab {
  readonly label: string;
  readonly href: string;
  readonly current: boolean;
}

export function environmentTabs(environment: string, current: keyof typeof TABS): EnvironmentTab[] {
  return Object.entries(TABS).map(([id, { label, pathOf }]) => ({ label, href: pathOf(environment), current: id === current }));
}

/** The tabs of the pages about all environments. */
export function environmentListTabs(current: 'list' | 'board'): EnvironmentTab[] {
  return [
    { label: 'Environments', href: '/environments', current: current === 'list' },
    { label: 'Tier board', href: TIER_BOARD_PATH, current: current === 'board' },
  ];
}

/** A view of `parts/usage-bar`: a bar with its text. */
export interface QuotaRow {
  /** In words: `CPU requests`. */
  readonly label: string;
  /** As the quota names it. */
  readonly resource: string;
  /** `1.5Gi of 16Gi, 9 %`. */
  readonly text: string;
  /** Width of the bar, 0 to 100. */
  readonly width: number;
  readonly tone: Tone;
  /** What only a part of the pods is counted for; empty: all. */
  readonly scopes: string;
}

const NEARLY_FULL = 0.8;

export function quotaRows(uses: readonly QuotaUse[]): QuotaRow[] {
  return uses.map((use) => ({
    label: labelOf(use.resource),
    resource: use.resource,
    text: textOf(use),
    width: Math.round(Math.min(1, use.share ?? 0) * 100),
    tone: toneOf(use.share),
    scopes: use.scopes.join(', '),
  }));
}

function textOf({ used, hard, share }: QuotaUse): string {
  if (used === undefined || share === undefined) return `not counted yet, of ${hard}`;
  const left = share >= 1 ? ', nothing left' : '';
  return `${used} of ${hard}, ${Math.floor(share * 100)} %${left}`;
}

function toneOf(share: number | undefined): Tone {
  if (share === undefined) return 'idle';
  if (share >= 1) return 'bad';
  return share >= NEARLY_FULL ? 'warn' : 'good';
}

const NAMES: Readonly<Record<string, string>> = {
  cpu: 'CPU',
  memory: 'Memory',
  storage: 'Storage',
  'ephemeral-storage': 'Ephemeral storage',
  pods: 'Pods',
  persistentvolumeclaims: 'Volume claims',
};

function labelOf(resource: string): string {
  const [storageClass, counted = resource] = resource.includes(BY_CLASS) ? resource.split(BY_CLASS) : ['', resource];
  const ofClass = storageClass === '' ? '' : ` of class ${storageClass}`;
  if (counted.startsWith('requests.')) return `${nameOf(counted.slice(9))} requests${ofClass}`;
  if (counted.startsWith('limits.')) return `${nameOf(counted.slice(7))} limits`;
  return counted === 'cpu' || counted === 'memory' ? `${nameOf(counted)} requests` : `${nameOf(counted.replace(/^count\//, ''))}${ofClass}`;
}

const BY_CLASS = '.storageclass.storage.k8s.io/';

function nameOf(resource: string): string {
  return NAMES[resource] ?? resource;
}

const SUBJECTS: Readonly<Record<string, string>> = { Container: 'container', Pod: 'pod', PersistentVolumeClaim: 'volume claim' };

const SENTENCES: readonly (readonly [rule: keyof LimitRule, (subject: string, amounts: string) => string])[] = [
  ['defaultRequest', (subject, amounts) => `A ${subject} that sets no requests gets ${amounts}.`],
  ['default', (subject, amounts) => `A ${subject} that sets no limits is limited to ${amounts}.`],
  ['min', (subject, amounts) => `A ${subject} must request at least ${amounts}.`],
  ['max', (subject, amounts) => `A ${subject} may have at most ${amounts}.`],
];

/** What the LimitRanges of a namespace say, a sentence each. */
export function limitSentences(rules: readonly LimitRule[]): string[] {
  const bySubject = Map.groupBy(rules, ({ limitRange, type }) => `${limitRange} ${type}`);
  return [...bySubject.values()].flatMap((same) => {
    const type = same[0]?.type ?? '';
    const subject = SUBJECTS[type] ?? type;
    const bounds = SENTENCES.flatMap(([rule, sentence]) => {
      const amounts = same.flatMap((one) => (one[rule] === undefined ? [] : [`${one[rule]} ${wordOf(one.resource)}`]));
      return amounts.length === 0 ? [] : [sentence(subject, joined(amounts))];
    });
    const ratios = same.flatMap(({ resource, maxLimitRequestRatio: ratio }) =>
      ratio === undefined ? [] : [`The ${wordOf(resource)} limit of a ${subject} may be at most ${ratio} times its request.`],
    );
    return [...bounds, ...ratios];
  });
}

function wordOf(resource: string): string {
  return resource === 'cpu' ? 'CPU' : (NAMES[resource]?.toLowerCase() ?? resource);
}

function joined(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
