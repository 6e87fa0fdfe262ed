import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectList, WatchEvent } from '../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { startReflector, type Reflector } from '../../../src/kube/watch/reflector.ts';
import { createLog } from '../../../src/observe/log.ts';

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const TYPE = { group: 'example.com', version: 'v1', resource: 'things' };
const away = new AppError('ClusterUnavailable', 'list: the cluster does not answer');

function thing(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name, uid: name, resourceVersion } };
}

/** One life of the reflector: what its list says, and what the watch after it brings before it breaks. */
interface Round {
  readonly list: readonly KubeObject[] | AppError;
  readonly events?: readonly WatchEvent[];
  readonly broken?: AppError;
}

/** Lets a reflector live through the rounds; the last watch stays open until the signal aborts. Gives the waits between the rounds. */
async function live(rounds: readonly Round[]): Promise<{ reflector: Reflector; waits: number[]; lists: number }> {
  const ending = new AbortController();
  const done = Promise.withResolvers<void>();
  const waits: number[] = [];
  let lists = 0;
  const list = async (): Promise<ObjectList> => {
    const round = rounds[lists];
    lists += 1;
    if (round === undefined || round.list instanceof AppError) throw round?.list ?? away;
    return { items: round.list, resourceVersion: String(lists) };
  };
  async function* watch(): AsyncGenerator<WatchEvent> {
    const round = rounds[lists - 1];
    yield* round?.events ?? [];
    if (round?.broken !== undefined) throw round.broken;
    done.resolve();
    ending.abort();
  }
  const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  const options = { cluster: { list, watch }, type: TYPE, signal: ending.signal, log, random: () => 0, now: () => 0, wait };
  const reflector = startReflector(options);
  await done.promise;
  return { reflector, waits, lists };
}

const namesOf = (reflector: Reflector): string[] => reflector.all().map(({ metadata }) => metadata.name);

describe('a copy of the objects of a type', () => {
  test('follows the events of the watch', async () => {
    const events: WatchEvent[] = [
      { type: 'ADDED', object: thing('new', '2') },
      { type: 'DELETED', object: thing('old', '3') },
      { type: 'BOOKMARK', object: thing('', '4') },
    ];
    const { reflector } = await live([{ list: [thing('old', '1')], events }]);
    assert.deepEqual(namesOf(reflector), ['new']);
    assert.equal(reflector.synced(), true);
  });

  test('asks again, ever later, while the cluster is away', async () => {
    const { reflector, waits } = await live([{ list: away }, { list: away }, { list: away }, { list: [thing('one', '1')] }]);
    assert.deepEqual(waits, [200, 400, 800]);
    assert.deepEqual(namesOf(reflector), ['one']);
  });

  test('lists again when the watch breaks, and drops what went meanwhile', async () => {
    const gone = new AppError('Conflict', 'watch: the version asked for is too old (410)');
    const { reflector, lists } = await live([{ list: [thing('a', '1'), thing('b', '1')], broken: gone }, { list: [thing('b', '1')] }]);
    assert.equal(lists, 2);
    assert.deepEqual(namesOf(reflector), ['b']);
  });

  test('holds what all pages of a list have, and what comes after the last', async () => {
    const ending = new AbortController();
    const seen: string[] = [];
    async function* pages(): AsyncGenerator<ObjectList> {
      yield { items: [thing('a', '1'), thing('b', '1')], resourceVersion: '7' };
      yield { items: [thing('c', '2')], resourceVersion: '7' };
    }
    const done = Promise.withResolvers<void>();
    async function* watch(_type: unknown, { resourceVersion = '' }: { resourceVersion?: string }): AsyncGenerator<WatchEvent> {
      seen.push(resourceVersion);
      yield { type: 'DELETED', object: thing('a', '8') };
      done.resolve();
      ending.abort();
    }
    const list = (): Promise<ObjectList> => Promise.reject(away);
    const reflector = startReflector({ cluster: { list, watch }, pages, type: TYPE, signal: ending.signal, log });
    await done.promise;
    assert.deepEqual(namesOf(reflector), ['b', 'c']);
    assert.deepEqual(seen, ['7'], 'the version that the watch begins with');
  });

  test('is empty while the type is not served, and looks soon again', async () => {
    const notServed = new AppError('NotFound', 'list: the server could not find the requested resource');
    const { reflector, waits } = await live([
      { list: [thing('a', '1')], broken: away },
      { list: notServed },
      { list: notServed },
      { list: [] },
    ]);
    assert.deepEqual(waits.slice(1), [500, 500]);
    assert.deepEqual(namesOf(reflector), []);
  });
});
