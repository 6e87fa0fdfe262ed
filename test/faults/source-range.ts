import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAppError } from '../../src/domain/core/errors.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CATALOG_SOURCE, NAMESPACE, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { createTcpRelay, type TcpRelay } from '../support/tcp-relay.ts';
import type { Arena } from './arena.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import { ALLOWED_KINDS, type Content, type Expected, filesOf, nameOf, objectOf, type Shared, typeOf } from './source-subject.ts';
import type { Worker } from './worker.ts';

export const SOURCES = {
  large: { name: 'fault-large', objects: 60, from: 0 },
  small: { name: 'fault-small', objects: 9, from: 1_000 },
} as const;
export type Side = keyof typeof SOURCES;
/** Two sources in folders of one repository, a person beside them, and a controller that dies. */
export interface Range extends Shared {
  readonly arena: Arena;
  readonly report: Report;
  readonly random: Random;
  readonly host: GitHost;
  /** The ways of the controller to the api-server and the repository. */
  readonly ways: Readonly<Record<'api-server' | 'git host', TcpRelay>>;
  readonly contents: Record<Side, Content>;
  readonly expected: Record<Side, Expected>;
  /** How long an undisturbed act takes. */
  syncMs: number;
  count: number;
  kills: number;
  restart(): Promise<void>;
  worker: Worker;
}

export async function openRange(arena: Arena, report: Report, random: Random): Promise<Range> {
  const [namespace, host] = await Promise.all([arena.namespace('sources'), startGitHost()]);
  const { ways, start } = await openWays(arena, { namespace, host });
  await keepCredentials(arena, host);
  const none = (side: Side): Expected => ({ source: SOURCES[side].name, content: undefined, applied: '' });
  const range: Range = {
    arena,
    report,
    random,
    kube: arena.kube,
    namespace,
    host,
    ways,
    persons: await makeByHand(arena, namespace),
    uids: new Map(),
    contents: { large: new Map(), small: new Map() },
    expected: { large: none('large'), small: none('small') },
    syncMs: 3_000,
    count: 0,
    kills: 0,
    worker: await start(),
    restart: async () => {
      range.worker = await start();
    },
  };
  range.contents.small = next(range, 'small');
  for (const side of ['large', 'small'] as const) await declare(range, side);
  return range;
}

/** The ways to the api-server and the repository, and how a controller starts that has to take them. */
async function openWays(
  { plane, chartsDir, worker }: Arena,
  { namespace, host }: Pick<Range, 'namespace' | 'host'>,
): Promise<Pick<Range, 'ways'> & { start(): Promise<Worker> }> {
  const kubeconfig = await readFile(plane.kubeconfigPath, 'utf8');
  const server = new URL(/server: "?(https:[^"\s]+)/.exec(kubeconfig)?.[1] ?? '');
  const ways = {
    'api-server': await createTcpRelay({ host: server.hostname, port: Number(server.port) }),
    'git host': await createTcpRelay({ host: '127.0.0.1', port: Number(new URL(host.url).port) }),
  };
  await Promise.all(Object.values(ways).map((way) => way.open()));
  const checkouts = join(chartsDir, '..', 'checkouts');
  await mkdir(checkouts);
  const kubeconfigPath = join(checkouts, '..', 'relayed-kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig.replaceAll(`:${server.port}`, `:${ways['api-server'].port}`), { mode: 0o600 });
  return { ways, start: () => worker(namespace, { kubeconfigPath, checkouts }) };
}

async function keepCredentials({ kube }: Arena, host: GitHost): Promise<void> {
  const namespace = OURS.systemNamespace;
  const cluster = kube.asController();
  await cluster.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { fieldManager: 'faults' });
  const data = Object.fromEntries(Object.entries(host.credentials).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'fault-git' }, data };
  await cluster.apply(SECRET, secret, { fieldManager: 'faults' });
}

/** One object of each kind that a person has made. */
async function makeByHand({ kube }: Arena, namespace: string): Promise<Map<string, KubeObject>> {
  const persons = new Map<string, KubeObject>();
  for (const name of [9_000, 9_001, 9_002].map(nameOf)) {
    const { object } = await kube.asController().create(typeOf(name), objectOf(namespace, name, 'by hand'));
    persons.set(name, object);
  }
  return persons;
}

export async function declare({ kube, host, ways }: Range, side: Side): Promise<void> {
  const url = new URL(host.url);
  url.port = String(ways['git host'].port);
  const git = { url: url.href, secretRef: { name: 'fault-git' }, ref: { branch: 'main' }, path: side };
  const spec = { git, interval: '10s', allowedKinds: ALLOWED_KINDS };
  const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name: SOURCES[side].name }, spec };
  await kube.asController().create(CATALOG_SOURCE, object);
}

/** Has the controller look at the repository, by a change that says nothing: it goes by what it knows. */
export async function wake(range: Range): Promise<void> {
  range.count += 1;
  const body = { metadata: { annotations: { 'example.com/wake': String(range.count) } } };
  for (const { name } of Object.values(SOURCES)) {
    try {
      await range.kube.asController().patch({ ...CATALOG_SOURCE, name }, { type: 'merge', body });
    } catch (error) {
      if (!isAppError(error, 'NotFound')) throw error;
    }
  }
}

/** Pushes what changes; both sources apply it. */
export async function push(range: Range, changes: Partial<Record<Side, Content>>, options: { unrelated?: boolean } = {}): Promise<void> {
  Object.assign(range.contents, changes);
  const commit = await range.host.push(allFiles(range), options);
  for (const side of ['large', 'small'] as const) {
    range.expected[side] = { source: SOURCES[side].name, content: range.contents[side], applied: commit };
  }
}

/** Pushes a revision that `side` has to reject; the other one applies it. */
export async function pushRefused(range: Range, side: Side, files: Readonly<Record<string, string>>): Promise<void> {
  const { [side]: live } = range.expected;
  const commit = await range.host.push(files);
  const other = side === 'large' ? 'small' : 'large';
  range.expected[side] = { ...live, refused: commit };
  range.expected[other] = { source: SOURCES[other].name, content: range.contents[other], applied: commit };
}

export function allFiles({ namespace, contents }: Range, without?: Side): Record<string, string> {
  const files = (['large', 'small'] as const).map((side) => (side === without ? {} : filesOf(side, namespace, contents[side])));
  return Object.assign({}, ...files) as Record<string, string>;
}

/** The next content of a source: fewer go than anybody would have to approve, others come, some change. */
export function next({ random, contents, persons, namespace }: Range, side: Side): Content {
  const { objects, from } = SOURCES[side];
  const content = new Map([...contents[side]].map(([name, value]) => [name, random.next() < 0.4 ? `${value.slice(0, 40)}.` : value]));
  const names = [...content.keys()];
  for (let dropped = 0; dropped < names.length / 12; dropped += 1) content.delete(random.pick(names));
  const elsewhere = contents[side === 'large' ? 'small' : 'large'];
  while (content.size < objects) {
    const name = nameOf(from + random.between(0, objects * 3));
    if (!persons.has(name) && !elsewhere.has(name)) content.set(name, `${namespace} ${random.between(0, 1_000_000)}`);
  }
  return content;
}
