import type { AuditEntry } from '../../domain/audit/audit-log.ts';
import { countsOf } from '../../domain/audit/changed-objects.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import type { EnvironmentResource } from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { foldEvents } from '../../domain/instance/events.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { EVENT, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { filterTimeline, objectEntries, timeOf, type TimelineEntry, type TimelineFilter } from '../../domain/timeline/timeline.ts';
import { entriesFor } from '../app/find-app.ts';
import { hasPermission, requestsIn } from '../change-request/request-access.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { type EnvironmentPorts, type EnvironmentReading, readEnvironment } from '../environment/read-environment.ts';
import { findInstance } from '../instance/find-instance.ts';
import type { Ports } from '../ports.ts';

export interface TimelineInput extends TimelineFilter {
  readonly environment: string;
  /** Only what is about one Instance and its resources. */
  readonly instance?: { readonly app: string; readonly name: string };
}

/** What happened in an environment, as far as it is known. */
export interface Timeline {
  readonly environment: EnvironmentView;
  /** Those that the filter leaves, the newest first. */
  readonly entries: readonly TimelineEntry[];
  /** Whatever the filter. */
  readonly all: readonly TimelineEntry[];
  /** What the actor may not list, so that it is in no entry. */
  readonly missing: readonly MissingPermission[];
}

type TimelinePorts = EnvironmentPorts & Pick<Ports, 'auditLog' | 'changeRequests'>;

/**
 * The changes of an environment or of one Instance: what objects say of themselves, warnings, what people did through Chandlery and asked for. Read as the actor.
 *
 * @throws AppError `NotFound` for an environment or an Instance that the actor does not see.
 */
export async function showTimeline(
  ports: TimelinePorts,
  actor: Actor,
  { environment: name, instance, ...filter }: TimelineInput,
): Promise<Timeline> {
  if (instance !== undefined) await findInstance(ports, actor, { environment: name, ...instance });
  const may = permissionOnce(ports, actor, name);
  const [reading, ...recorded] = await Promise.all([
    readEnvironment(ports, actor, { environment: name }),
    auditEntries(ports, actor, name, may),
    requestEntries(ports, actor, name),
  ]);
  const { environment, missing } = reading;
  const warnings = await readWarnings(ports, actor, reading);
  const named = namesOf(ports, actor, reading);
  const found = [...(await entriesOfObjects(reading)), ...warnings.entries, ...recorded.flat().map(named)];
  const ofInstance = ({ instance: one }: TimelineEntry): boolean => one?.app === instance?.app && one?.name === instance?.name;
  const all = (instance === undefined ? found : found.filter(ofInstance)).sort(newestFirst);
  return { environment, entries: filterTimeline(all, filter), all, missing: [...missing, ...warnings.missing] };
}

/** Entries about Instances, by their kind; what is gone has no page. */
function namesOf(ports: TimelinePorts, actor: Actor, { resources }: EnvironmentReading): (entry: TimelineEntry) => TimelineEntry {
  const kinds = new Map(entriesFor(ports, actor).map(({ summary }) => [summary.id, summary.kind]));
  const present = new Set(resources.map(({ resource, name }) => `${resource} ${name}`));
  return ({ subject, ...entry }) => {
    const { resource, name } = subject;
    const isPresent = present.has(`${resource} ${name}`);
    return { ...entry, subject: { resource: isPresent ? resource : '', kind: kinds.get(resource) ?? subject.kind, name } };
  };
}

function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return a.time === b.time ? a.id.localeCompare(b.id) : a.time < b.time ? 1 : -1;
}

/** Objects that are described in one turn of the event loop. */
const A_TURN = 500;

async function entriesOfObjects({ objects, resources, secrets }: EnvironmentReading): Promise<TimelineEntry[]> {
  const byUid = new Map(resources.map((resource) => [resource.uid, resource]));
  const entries: TimelineEntry[] = [];
  for (const [index, object] of objects.entries()) {
    if (index % A_TURN === A_TURN - 1) await yieldToEventLoop();
    const described = byUid.get(object.metadata.uid ?? '');
    if (described === undefined) continue;
    const own = objectEntries(object, described, (uid) => byUid.get(uid));
    entries.push(...own.map((entry) => ({ ...entry, message: redact(entry.message, secrets) })));
  }
  return entries;
}

interface Warnings {
  readonly entries: readonly TimelineEntry[];
  readonly missing: readonly MissingPermission[];
}

/** Kubernetes forgets events after an hour. */
async function readWarnings(
  ports: TimelinePorts,
  actor: Actor,
  { environment, resources, secrets }: EnvironmentReading,
): Promise<Warnings> {
  const { namespace } = environment;
  let items: readonly KubeObject[];
  try {
    ({ items } = await ports.clusters.asActor(actor).list(EVENT, { namespace, fieldSelector: 'type=Warning' }));
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { entries: [], missing: [error.missing ?? { ...permissionTo('list', EVENT), namespace }] };
  }
  const byUid = new Map(resources.map((resource) => [resource.uid, resource]));
  const byName = new Map(resources.map((resource) => [`${resource.kind} ${resource.name}`, resource]));
  const isHealthy = (uid: string): boolean => byUid.get(uid)?.health?.status === 'Healthy';
  const entries = foldEvents(items, (uid) => (isHealthy(uid) ? 'Resolved' : 'Open')).flatMap((event): TimelineEntry[] => {
    const time = timeOf(event.lastSeen);
    if (time === undefined) return [];
    const about = byName.get(`${event.kind} ${event.name}`);
    const times = event.count > 1 ? ` (${event.count} times)` : '';
    const message = `${event.reason}${event.resolved ? ', resolved' : ''}: ${redact(event.message, secrets).slice(0, 500)}${times}`;
    const id = `warning ${event.kind} ${event.name} ${event.reason}`;
    return [
      {
        id,
        time,
        kind: 'Warning',
        who: '',
        message,
        subject: { resource: about?.resource ?? '', kind: event.kind, name: event.name },
        ...partOf(about),
      },
    ];
  });
  return { entries, missing: [] };
}

function partOf(resource: EnvironmentResource | undefined): Pick<TimelineEntry, 'instance'> {
  return resource?.instance === undefined ? {} : { instance: resource.instance };
}

type May = (app: string) => Promise<boolean>;

/** Whether the actor may get the instances of an App there; asked once an App. */
function permissionOnce(ports: TimelinePorts, actor: Actor, environment: string): May {
  const asked = new Map<string, Promise<boolean>>();
  return async (app) => {
    const answer = asked.get(app) ?? hasPermission(ports, actor, { environment, app, verb: 'get' });
    asked.set(app, answer);
    return await answer;
  };
}

const MAX_ACTIONS = 500;
/** What leaves a trace in the environment, which everybody sees who may read its instances. */
const PUBLIC_ACTIONS = new Set([
  'create instance',
  'update instance',
  'delete instance',
  ...['install', 'upgrade', 'roll back', 'unlock', 'uninstall', 'test', 'wake'].map((verb) => `${verb} release`),
  'put release to sleep',
]);

/**
 * Everybody knows what they did, and of others what changed an instance that they may read. Rejected attempts and reveals of others are for who may list the
 * audit log.
 */
async function auditEntries(ports: TimelinePorts, actor: Actor, environment: string, may: May): Promise<TimelineEntry[]> {
  const found = await ports.auditLog.search({ person: '', environment, text: '', limit: MAX_ACTIONS });
  if (found.length === 0) return [];
  const right = { verb: 'list', group: OURS.group, resource: 'auditevents' };
  const isAuditor = (await ports.clusters.asActor(actor).review(right)).allowed;
  const shown: TimelineEntry[] = [];
  const authors = authorsOf(found);
  for (const entry of found) {
    const entryOf = actionEntry(entry, authors);
    if (entryOf === undefined) continue;
    const isPublic = entry.outcome === 'succeeded' && PUBLIC_ACTIONS.has(entry.action);
    if (isAuditor || entry.user === actor.user || (isPublic && (await may(entryOf.instance?.app ?? '')))) shown.push(entryOf);
  }
  return shown;
}

/**
 * Who made each change of a resource, as far as it came through Chandlery: whoever wrote a generation of an Instance. A request by annotation can be repeated with
 * kubectl, so it has no author here.
 */
function authorsOf(found: readonly AuditEntry[]): ReadonlyMap<string, string> {
  const people = found.filter(({ action, outcome }) => outcome === 'succeeded' && GENERATION_ACTIONS.has(action));
  return new Map(people.flatMap(({ change, user }) => (change === undefined ? [] : [[change, user] as const])));
}

const GENERATION_ACTIONS = new Set(['create instance', 'update instance']);

function actionEntry(entry: AuditEntry, authors: ReadonlyMap<string, string>): TimelineEntry | undefined {
  const { id, time: written, user, action, target, outcome, code } = entry;
  const time = timeOf(written);
  const [address = '', ...rest] = target.split(' ');
  const [, app = '', name = ''] = address.split('/');
  if (time === undefined) return undefined;
  const what = `${action.slice(0, 1).toUpperCase()}${action.slice(1)}${rest.length === 0 ? '' : ` ${rest.join(' ')}`}`;
  const ended = outcome === 'succeeded' ? what : `${what}: ${outcome}${code === '' ? '' : `, ${code}`}`;
  const message = [ended, ...changeText(entry, authors)].join('; ');
  return {
    id: `action ${id}`,
    time,
    kind: 'Action',
    who: user,
    message,
    subject: { resource: app, kind: app, name },
    instance: { app, name },
  };
}

/** What the controller did, without the names of objects: not everybody may list all kinds. */
function changeText({ change = '', release, objects }: AuditEntry, authors: ReadonlyMap<string, string>): readonly string[] {
  if (objects === undefined) return [];
  const counts = countsOf(objects);
  const generation = /\.([0-9]+)$/.exec(change)?.[1];
  const author = authors.get(change);
  const by = author === undefined ? '' : `, written by ${author}`;
  return [
    ...(release === undefined ? [] : [`revision ${release.revision}`]),
    ...(counts === '' ? [] : [counts]),
    ...(generation === undefined ? [] : [`for generation ${generation}${by}`]),
  ];
}

async function requestEntries(ports: TimelinePorts, actor: Actor, environment: string): Promise<TimelineEntry[]> {
  const { namespace } = await findEnvironment(ports.clusters, actor, environment);
  return (await requestsIn(ports, actor, { name: environment, namespace })).flatMap(entriesOfRequest);
}

function entriesOfRequest({ id, app, name, action, requester, created, state, decidedBy, decidedAt }: ChangeRequest): TimelineEntry[] {
  const base = { kind: 'ChangeRequest', subject: { resource: app, kind: app, name }, instance: { app, name }, changeRequest: id } as const;
  const [asked, decided] = [timeOf(created), timeOf(decidedAt)];
  return [
    ...(asked === undefined
      ? []
      : [
          {
            ...base,
            id: `request ${id}`,
            time: asked,
            who: requester.user,
            message: action === 'install' ? 'Requests to install it' : 'Requests a change',
          },
        ]),
    ...(decided === undefined ? [] : [{ ...base, id: `decision ${id}`, time: decided, who: decidedBy ?? '', message: `Request ${state}` }]),
  ];
}
