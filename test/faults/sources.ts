import { isAppError, messageOf } from '../../src/domain/core/errors.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CATALOG_SOURCE } from '../../src/domain/kubernetes/resource-types.ts';
import type { TcpRelay } from '../support/tcp-relay.ts';
import type { Arena } from './arena.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import { allFiles, declare, next, openRange, push, pushRefused, type Range, type Side, SOURCES, wake } from './source-range.ts';
import { type Content, evidenceOfSource, faultsOfSources, filesOf, keepUids, nameOf, objectOf, typeOf } from './source-subject.ts';
import { elapse } from '../support/elapse.ts';

const ACTS = ['sync', 'force-push', 'broken', 'claim', 'delete'] as const;
type ActName = (typeof ACTS)[number];
/** What kills interrupt, over and over. */
const CYCLE: readonly ActName[] = ['sync', 'force-push', 'sync', 'broken', 'sync', 'claim', 'sync', 'delete'];

const CONVERGED_WITHIN_S = 120;
const LOOK_MS = 250;
/** The rest of an act is looking whether it is done. */
const SYNC_SHARE = 0.7;
/** How many looks until a source is woken again; its own interval is ten seconds. */
const LOOKS_A_WAKE = 20;

/** What comes between an act and its end. */
interface Fault {
  readonly run: 'none' | 'kill' | 'api-server' | 'git host';
  readonly moment: string;
  readonly restarts: number;
  /** Resolves when it is repaired; `meanwhile` happens while the controller is dead. */
  happen(meanwhile: () => Promise<void>): Promise<void>;
}

/** Kills the controller of CatalogSources in the middle of acts until the number is reached; then takes the api-server and the repository away. */
export async function runSources(arena: Arena, report: Report, random: Random, kills: number): Promise<void> {
  const range = await openRange(arena, report, random);
  try {
    await perform(range, 'sync', () => UNDISTURBED);
    await perform(range, 'sync', () => UNDISTURBED);
    range.kills = kills;
    for (let turn = 0; range.kills > 0; turn += 1) await perform(range, CYCLE[turn % CYCLE.length] ?? 'sync', () => strike(range));
    for (const outage of outagesOf(range)) {
      for (const act of ACTS) {
        const faults = [outage];
        await perform(range, act, () => faults.pop() ?? UNDISTURBED);
      }
    }
  } finally {
    await range.worker.kill('machine');
    await Promise.all(Object.values(range.ways).map((way) => way.cut()));
    await range.host.stop();
  }
}

const UNDISTURBED: Fault = { run: 'none', moment: 'undisturbed', restarts: 0, happen: (meanwhile) => meanwhile() };

/** The controller dies at a random moment of the act, alone or with its git, and sometimes its successor does, too. */
function strike(range: Range): Fault {
  const { random } = range;
  if (range.kills <= 0) return UNDISTURBED;
  const [delay, death] = [random.next() * range.syncMs * SYNC_SHARE, random.pick(['machine', 'worker'] as const)];
  const again = random.next() < 0.3 && range.kills > 1 ? random.next() * range.syncMs * SYNC_SHARE : undefined;
  range.kills -= again === undefined ? 1 : 2;
  const kill = async (after: number): Promise<void> => {
    await elapse(after);
    await range.worker.kill(death);
  };
  return {
    run: 'kill',
    moment: again === undefined ? 'random' : 'random, again',
    restarts: again === undefined ? 1 : 2,
    happen: async (meanwhile) => {
      await kill(delay);
      await meanwhile();
      await range.restart();
      if (again === undefined) return;
      await kill(again);
      await range.restart();
    },
  };
}

function outagesOf(range: Range): readonly Fault[] {
  const outage = (run: 'api-server' | 'git host', moment: string, lasts: (way: TcpRelay) => Promise<void>): Fault => ({
    run,
    moment,
    restarts: 0,
    happen: async (meanwhile) => {
      await elapse(range.random.next() * range.syncMs);
      await lasts(range.ways[run]);
      await meanwhile();
    },
  });
  const away = (seconds: number) => async (way: TcpRelay) => {
    await way.cut();
    await elapse(seconds * 1_000);
    await way.open();
  };
  const slow = async (way: TcpRelay): Promise<void> => {
    way.delay(() => range.random.between(50, 400));
    await elapse(5_000);
    way.delay(() => 0);
  };
  return (['api-server', 'git host'] as const).flatMap((run) => [
    ...[1, 12].map((seconds) => outage(run, `away ${seconds} s`, away(seconds))),
    outage(run, 'slow 50-400 ms', slow),
  ]);
}

/** One act, each part of it with a fault of its own. */
async function perform(range: Range, act: ActName, draw: () => Fault): Promise<void> {
  switch (act) {
    case 'sync':
      return part(range, {
        act,
        fault: draw(),
        begin: () => push(range, { large: next(range, 'large') }),
        seize: range.random.next() < 0.3,
      });
    case 'force-push':
      return part(range, { act, fault: draw(), begin: () => push(range, { large: next(range, 'large') }, { unrelated: true }) });
    case 'broken':
      await part(range, { act, fault: draw(), begin: () => pushBroken(range) });
      return part(range, { act: 'mended', fault: draw(), begin: () => push(range, { large: next(range, 'large') }) });
    case 'claim':
      return claim(range, draw);
    case 'delete':
      return deletion(range, draw);
    default:
      return act satisfies never;
  }
}

interface Part {
  readonly act: string;
  readonly fault: Fault;
  /** Changes something, and what is expected. */
  begin(): Promise<void>;
  /** A person makes something anew that the revision drops, while the controller is dead. */
  readonly seize?: boolean;
}

async function part(range: Range, { act, fault, begin, seize = false }: Part): Promise<void> {
  const before = range.expected.large.content;
  await begin();
  await wake(range);
  await fault.happen(async () => {
    if (seize && fault.run === 'kill') await takeDropped(range, before ?? new Map());
  });
  const end = await untilDone(range);
  if (fault.run === 'none') range.syncMs = Math.max(500, end.seconds * 1_000);
  const { name } = SOURCES.large;
  const evidence = (): Promise<string> => evidenceOfSource(range.kube, name);
  await range.report.add({ name: act, subject: { namespace: range.namespace, name }, evidence }, { ...fault, ...end });
  await keepUids(range);
}

async function untilDone(range: Range): Promise<{ seconds: number; faults: readonly string[] }> {
  const began = performance.now();
  for (let looks = 0; ; looks += 1) {
    const faults = await lookAt(range, looks).catch((error: unknown) => [messageOf(error)]);
    const seconds = (performance.now() - began) / 1_000;
    if (faults.length === 0 || seconds > CONVERGED_WITHIN_S) return { seconds, faults };
    await elapse(LOOK_MS);
  }
}

/** An api-server that is not back yet is one more fault. */
async function lookAt(range: Range, looks: number): Promise<readonly string[]> {
  if (looks % LOOKS_A_WAKE === LOOKS_A_WAKE - 1) await wake(range);
  return await faultsOfSources(range, Object.values(range.expected));
}

async function pushBroken(range: Range): Promise<void> {
  const broken = range.random.pick(['kind: [ConfigMap\n', stringifyJson({ ...objectOf(range.namespace, nameOf(3_000), ''), datum: {} })]);
  const good = filesOf('large', range.namespace, next(range, 'large'));
  await pushRefused(range, 'large', { ...allFiles(range), ...good, 'large/broken.yaml': broken });
}

/** One source has a document of what the other one has; then the other one gives it up. */
async function claim(range: Range, draw: () => Fault): Promise<void> {
  const [owner, claimer]: readonly [Side, Side] = range.random.next() < 0.5 ? ['large', 'small'] : ['small', 'large'];
  const name = range.random.pick([...range.contents[owner].keys()]);
  const value = range.contents[owner].get(name) ?? '';
  const claimed = new Map([...next(range, claimer), [name, value]]);
  const files = { ...allFiles(range, claimer), ...filesOf(claimer, range.namespace, claimed) };
  await part(range, { act: 'claim', fault: draw(), begin: () => pushRefused(range, claimer, files) });
  const rest = new Map([...range.contents[owner]].filter(([each]) => each !== name));
  const handOver = { [owner]: rest, [claimer]: claimed };
  await part(range, { act: 'hand over', fault: draw(), begin: () => push(range, handOver) });
}

/** The source goes while it is being synchronised, and comes again. */
async function deletion(range: Range, draw: () => Fault): Promise<void> {
  const { name } = SOURCES.large;
  const begin = async (): Promise<void> => {
    await push(range, { large: next(range, 'large') });
    await wake(range);
    await elapse(range.random.next() * range.syncMs);
    await deleteWithIntent(range.kube.asController(), { type: CATALOG_SOURCE, object: { metadata: { name } } });
    range.expected.large = { ...range.expected.large, content: undefined };
  };
  await part(range, { act: 'delete', fault: draw(), begin });
  const again = async (): Promise<void> => {
    range.expected.large = { ...range.expected.large, content: range.contents.large };
    await declare(range, 'large');
  };
  await part(range, { act: 'create again', fault: draw(), begin: again });
}

/** A person deletes one of the objects that the revision drops, and makes it anew. */
async function takeDropped({ kube, namespace, persons, expected, random }: Range, before: Content): Promise<void> {
  const kept = expected.large.content ?? new Map();
  const dropped = [...before.keys()].filter((name) => !kept.has(name));
  if (dropped.length === 0) return;
  const [name, cluster] = [random.pick(dropped), kube.asController()];
  const type = typeOf(name);
  try {
    await cluster.delete({ ...type, namespace, name });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
  }
  persons.set(name, (await cluster.create(type, objectOf(namespace, name, 'by hand'))).object);
}
