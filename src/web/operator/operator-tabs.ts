import { instanceKey, type OperatorInstance, type OperatorInstances, placesOf } from '../../domain/operator/operator-instances.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { type Page, pageByKey } from '../../domain/core/page-by-key.ts';
import type { OperatorTree } from '../../domain/tree/tree.ts';
import { emptySentence, missingSentence } from '../page/message-page.ts';
import { tabPath } from './operator-frame.ts';
import { environmentPath, instancePath, operatorPath } from '../page/paths.ts';
import type { OperatorEvents } from '../../operation/operator/list-operator-problems.ts';
import type { ReleaseNotes } from '../../operation/operator/show-release-notes.ts';
import { boundedTree, type BoundedTree, releaseNote, type ReleaseNote } from '../page/tree-view.ts';

/** A view of `operators/tabs/resources`. */
export interface ResourcesTab extends BoundedTree {
  readonly namespace: string;
  readonly unreadable: readonly string[];
  /** Empty when its workloads can be seen. */
  readonly missing: string;
  /** Why there is nothing; empty when there is something. */
  readonly empty: string;
  readonly release?: ReleaseNote;
  readonly refreshHref: string;
}

export function resourcesTab(operator: OperatorView, tree: OperatorTree): ResourcesTab {
  return {
    ...boundedTree(tree),
    namespace: tree.namespace,
    unreadable: [...new Set(tree.unreadable)],
    missing: tree.missing === undefined ? '' : missingSentence(tree.missing),
    empty: emptySentence(tree.empty),
    ...(tree.release === undefined ? {} : { release: releaseNote(tree.release) }),
    refreshHref: tabPath(operator, 'resources'),
  };
}

const MAX_EVENTS = 200;

/** A view of `operators/tabs/events`. */
export interface EventsTab {
  readonly events: readonly (OperatorEvents['events'][number] & { readonly warning: boolean })[];
  /** How many older ones are left out. */
  readonly more: number;
  readonly missing: readonly string[];
  readonly refreshHref: string;
}

export function eventsTab(operator: OperatorView, { events, missing }: OperatorEvents): EventsTab {
  return {
    events: events.slice(0, MAX_EVENTS).map((event) => ({ ...event, warning: event.type === 'Warning' })),
    more: Math.max(0, events.length - MAX_EVENTS),
    missing: missing.map(missingSentence),
    refreshHref: tabPath(operator, 'events'),
  };
}

/** A layer of so many values is open from the beginning. */
const MAX_EXPANDED = 20;

/** A view of `operators/tabs/values`. */
export interface ValuesTab {
  readonly layers: readonly { readonly origin: string; readonly paths: readonly string[]; readonly open: boolean }[];
}

/** The values by the layer that set them; of a chart with many values nobody reads the layer a thousand times. */
export function valuesTab({ values = [] }: OperatorView): ValuesTab {
  const layers = new Map<string, string[]>();
  for (const { path, origin } of values) layers.set(origin, [...(layers.get(origin) ?? []), path]);
  return { layers: [...layers].map(([origin, paths]) => ({ origin, paths, open: paths.length <= MAX_EXPANDED })) };
}

/** A view of `operators/tabs/notes`. */
export interface NotesTab extends Omit<ReleaseNotes, 'missing'> {
  readonly missing: readonly string[];
}

export function notesTab({ missing, ...notes }: ReleaseNotes): NotesTab {
  return { ...notes, missing: missing.map(missingSentence) };
}

const INSTANCES_A_PAGE = 100;

/** A view of `operators/tabs/instances`. */
export interface InstancesTab {
  readonly total: number;
  readonly places: readonly {
    readonly place: string;
    readonly href: string;
    readonly kind: string;
    readonly count: number;
    readonly onlyHref: string;
  }[];
  readonly rows: readonly InstanceRow[];
  /** The namespace that the list is narrowed to; empty for all. */
  readonly only: string;
  readonly allHref: string;
  readonly nextHref: string;
  readonly missing: readonly string[];
  readonly unavailable: OperatorInstances['unavailable'];
  /** What is said where the list is empty. */
  readonly empty: { readonly title: string; readonly text: string };
}

interface InstanceRow {
  readonly name: string;
  readonly href: string;
  readonly kind: string;
  readonly place: string;
  readonly created: string;
  readonly deletingSince: string;
  readonly finalizers: string;
}

export interface InstancesInput {
  readonly operator: OperatorView;
  readonly found: OperatorInstances;
  readonly query: URLSearchParams;
}

export function instancesTab({ operator, found, query }: InstancesInput): InstancesTab {
  const only = query.get('namespace') ?? '';
  const after = query.get('after') ?? '';
  const wanted = only === '' ? found.instances : found.instances.filter(({ namespace }) => namespace === only);
  const page: Page<OperatorInstance> = pageByKey(wanted, instanceKey, { limit: INSTANCES_A_PAGE, ...(after === '' ? {} : { after }) });
  const href = (more: Readonly<Record<string, string>>): string =>
    `${operatorPath(operator)}?${new URLSearchParams({ tab: 'instances', ...more }).toString()}`;
  const narrowed = only === '' ? {} : { namespace: only };
  return {
    total: found.instances.length,
    places: placesOf(found.instances).map(({ kind, namespace = '', environment, count }) => ({
      place: placeName(namespace, environment),
      href: environment === undefined ? '' : environmentPath(environment),
      kind,
      count,
      onlyHref: namespace === '' ? '' : href({ namespace }),
    })),
    rows: page.items.map(instanceRow),
    only,
    allHref: href({}),
    nextHref: page.next === undefined ? '' : href({ ...narrowed, after: page.next }),
    missing: found.missing.map(missingSentence),
    unavailable: found.unavailable,
    empty: emptyWords(found),
  };
}

function emptyWords({ unavailable }: OperatorInstances): InstancesTab['empty'] {
  if (unavailable.length === 0) return { title: 'No instances', text: 'There are no instances of its kinds that you may list.' };
  return { title: 'No instances listed', text: 'There may be instances of the kinds that cannot be listed now.' };
}

function instanceRow({
  app,
  kind,
  namespace = '',
  environment,
  name,
  created,
  deletingSince = '',
  finalizers,
}: OperatorInstance): InstanceRow {
  return {
    name,
    href: environment === undefined ? '' : instancePath({ environment, app, name }),
    kind,
    place: placeName(namespace, environment),
    created,
    deletingSince,
    finalizers: finalizers.join(', '),
  };
}

function placeName(namespace: string, environment: string | undefined): string {
  if (namespace === '') return 'the whole cluster';
  return environment === undefined || environment === namespace ? namespace : `${environment} (${namespace})`;
}
