import { filterTimeline, type TimelineEntry } from '../../src/domain/timeline/timeline.ts';
import type { Timeline, TimelineInput } from '../../src/operation/timeline/show-timeline.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const ORDERS = { app: APP, name: 'orders' };
const SHOP = { resource: 'deployments.apps', kind: 'Deployment', name: 'shop' };
const CLUSTER = { resource: APP, kind: 'PostgresCluster', name: 'orders' };

/** A day with an instance, CI and a release; the one before with its beginnings. */
const ENTRIES: readonly TimelineEntry[] = [
  entry('2026-11-21T11:42:10.000Z', 'Warning', {
    subject: SHOP,
    message: 'FailedScheduling: 0/1 nodes are available: insufficient memory. (12 times)',
  }),
  entry('2026-11-21T11:40:00.000Z', 'Revision', { subject: SHOP, message: 'Revision 3, registry.example.com/shop:2.4' }),
  entry('2026-11-21T11:39:59.000Z', 'Changed', { subject: SHOP, who: 'kubectl edit', message: 'Updated; generation 7' }),
  entry('2026-11-21T10:05:00.000Z', 'Action', {
    subject: CLUSTER,
    instance: ORDERS,
    who: 'oidc:dev-a',
    message: 'Update instance',
  }),
  entry('2026-11-21T09:00:00.000Z', 'ChangeRequest', {
    subject: CLUSTER,
    instance: ORDERS,
    who: 'oidc:dev-b',
    message: 'Requests a change',
    changeRequest: '0123456789abcdef0123456789abcdef',
  }),
  entry('2026-11-20T16:00:00.000Z', 'Release', {
    subject: { resource: '', kind: 'Helm release', name: 'mailer' },
    who: 'Helm',
    message: 'Revision 4 is deployed',
  }),
  entry('2026-11-20T15:00:00.000Z', 'Deletion', {
    subject: { resource: 'secrets', kind: 'Secret', name: 'a-very-long-name-of-a-secret-that-nobody-would-ever-type' },
    message: 'Is being deleted; waits for the finalizers example.com/keep',
  }),
  entry('2026-11-20T09:30:00.000Z', 'Created', { subject: CLUSTER, instance: ORDERS, who: 'Chandlery pages or REST', message: 'Created' }),
];

export function sampleTimeline({ environment: name, instance, ...filter }: TimelineInput): Timeline {
  const environment = SAMPLE_ENVIRONMENTS.find((known) => known.name === name);
  if (environment === undefined) throw new AppError('NotFound', `environment ${JSON.stringify(name)}: there is none`);
  const own = instance === undefined ? ENTRIES : ENTRIES.filter((one) => one.instance?.name === instance.name);
  const all = name === 'team-a' ? own : [];
  const missing = [{ verb: 'list', group: '', resource: 'secrets', namespace: environment.namespace }];
  return { environment, all, entries: filterTimeline(all, filter), missing };
}

function entry(
  time: string,
  kind: TimelineEntry['kind'],
  rest: Partial<TimelineEntry> & Pick<TimelineEntry, 'subject' | 'message'>,
): TimelineEntry {
  return { id: `${kind} ${rest.subject.name}`, time, kind, who: '', ...rest };
}
