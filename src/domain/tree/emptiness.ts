import type { MissingPermission } from '../core/errors.ts';

/** Why a list or tree of resources is empty. */
export const EMPTINESS_REASONS = ['NoPermission', 'NothingInstalled', 'NoMatch', 'NotServed'] as const;

export interface Emptiness {
  readonly reason: (typeof EMPTINESS_REASONS)[number];
  /** A sentence that stands alone. */
  readonly message: string;
  /** The permission to begin with. */
  readonly missing?: MissingPermission;
}

export interface EmptyList {
  /** What is counted, singular and plural; default: resources. */
  readonly subject?: readonly [one: string, many: string];
  /** `the namespace "team-a"` */
  readonly place: string;
  /** How many resources there are without the filter. */
  readonly total: number;
  /** What the list is narrowed to. */
  readonly filter: Filter;
  /** The resources that can be listed there, as plural and group. */
  readonly served: ReadonlySet<string>;
  /** What the actor may not list. */
  readonly missing: readonly MissingPermission[];
}

/** Why a list has nothing. */
export function emptinessOf({ subject, place, total, filter, served, missing }: EmptyList): Emptiness {
  const { resource } = filter;
  if (resource !== undefined && !served.has(resource))
    return { reason: 'NotServed', message: `The cluster serves no resource ${resource} in namespaces` };
  const asked = missing.find((one) => resourceText(one) === resource);
  const first = asked ?? (total === 0 ? mostTelling(missing) : undefined);
  if (first !== undefined) {
    const more =
      asked === undefined && missing.length > 1 ? ` and ${missing.length - 1} more ${missing.length === 2 ? 'kind' : 'kinds'}` : '';
    return { reason: 'NoPermission', message: `You may not list ${resourceText(first)}${more} in ${place}`, missing: first };
  }
  const [one, many] = subject ?? ['resource', 'resources'];
  const nothing = subject === undefined ? `Nothing is installed in ${place} yet` : `There are no ${many} in ${place} yet`;
  if (total === 0) return { reason: 'NothingInstalled', message: nothing };
  const there = total === 1 ? `1 ${one} is` : `${total} ${many} are`;
  return { reason: 'NoMatch', message: `${there} in ${place}, and none has ${filterText(filter)}` };
}

const WORDS = {
  resource: 'the resource',
  health: 'the health',
  managedBy: 'the manager',
  release: 'the Helm release',
  inventory: 'the inventory',
  labelSelector: 'the labels',
  search: 'the words',
  track: 'pods with the label track:',
} as const;

type Filter = Readonly<Partial<Record<keyof typeof WORDS, string>>>;

function filterText(filter: Filter): string {
  return Object.entries(filter)
    .map(([name, value]) => `${WORDS[name as keyof Filter]} ${value}`)
    .join(' and ');
}

/** Without workloads nobody sees anything. */
function mostTelling(missing: readonly MissingPermission[]): MissingPermission | undefined {
  return missing.find((one) => ['pods', 'deployments.apps'].includes(resourceText(one))) ?? missing[0];
}

function resourceText({ group, resource }: MissingPermission): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Why there is nothing below the root of a tree. */
export function emptyTree(root: string, missing: readonly MissingPermission[]): Emptiness {
  const first = mostTelling(missing);
  if (first === undefined)
    return {
      reason: 'NothingInstalled',
      message: `Nothing belongs to ${root} yet: no resource names it as its owner, and none has a label with its name`,
    };
  const place = first.namespace === undefined ? 'in the whole cluster' : `in the namespace "${first.namespace}"`;
  return {
    reason: 'NoPermission',
    message: `Resources of ${root} may exist, but you may not list ${resourceText(first)} ${place}`,
    missing: first,
  };
}
