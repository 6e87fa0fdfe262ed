import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KeySource, mapSource, type ReconcileResult, runController, TerminalError } from '../../../src/controller/controller.ts';
import { createLog } from '../../../src/observe/log.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** A source that a test pushes keys into. */
function pushed(): KeySource & { push(key: string): void; listeners(): number } {
  const listeners = new Set<(key: string) => void>();
  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    push: (key) => listeners.forEach((listener) => listener(key)),
    listeners: () => listeners.size,
  };
}

function started(reconcile: (key: string) => Promise<ReconcileResult>, sources?: (source: KeySource) => readonly KeySource[]) {
  const clock = createFakeClock();
  const ending = new AbortController();
  const source = pushed();
  const times: number[] = [];
  const outcomes: string[] = [];
  const lines: string[] = [];
  const running = runController({
    name: 'test',
    sources: sources?.(source) ?? [source],
    reconcile: (key) => {
      times.push(clock.now());
      return reconcile(key);
    },
    workers: 1,
    log: createLog({ level: 'warn', format: 'lines', write: (line) => lines.push(line) }),
    signal: ending.signal,
    observe: (outcome) => outcomes.push(outcome),
    clock,
    random: () => 0,
  });
  return { clock, source, times, outcomes, lines, ending, running };
}

describe('a controller', () => {
  test('tries what failed again, ever later, and begins anew after a success', async () => {
    let failing = 3;
    const { clock, source, times, outcomes, lines } = started(async () => {
      failing -= 1;
      if (failing >= 0) throw new Error('not yet');
      return {};
    });
    source.push('a');
    await clock.advance(60_000);
    assert.deepEqual(times, [0, 500, 1_500, 3_500]);
    assert.deepEqual(outcomes, ['failed', 'failed', 'failed', 'succeeded']);
    assert.match(lines[0] ?? '', /Reconciling failed; trying again .*key=a failures=1 delay=500 why=not yet/);
    failing = 1;
    source.push('a');
    await clock.advance(1_000);
    assert.deepEqual(times.slice(4), [60_000, 60_500]);
  });

  test('leaves what trying again cannot heal, until something changes', async () => {
    const { clock, source, times, outcomes } = started(() => Promise.reject(new TerminalError('InvalidInput', 'the spec is wrong')));
    source.push('a');
    await clock.advance(3_600_000);
    assert.deepEqual([times, outcomes], [[0], ['stalled']]);
    source.push('a');
    await clock.advance(0);
    assert.equal(times.length, 2);
  });

  test('looks again when it was asked to', async () => {
    const { clock, source, times } = started(async () => ({ requeueAfter: 1_000 }));
    source.push('a');
    await clock.advance(2_500);
    assert.deepEqual(times, [0, 1_000, 2_000]);
  });

  test('follows a source of owners', async () => {
    const keys: string[] = [];
    const byOwner = (source: KeySource): KeySource[] => [mapSource(source, (key) => [`${key}-one`, `${key}-two`])];
    const { clock, source } = started(async (key) => {
      keys.push(key);
      return {};
    }, byOwner);
    source.push('owner');
    await clock.advance(0);
    assert.deepEqual(keys, ['owner-one', 'owner-two']);
  });

  test('ends when its signal aborts, and listens no more', async () => {
    const { clock, source, times, ending, running } = started(async () => ({ requeueAfter: 10 }));
    source.push('a');
    await clock.advance(0);
    ending.abort();
    await running;
    await clock.advance(1_000);
    assert.deepEqual([times, source.listeners()], [[0], 0]);
  });
});
