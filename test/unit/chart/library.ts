import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type ChartLibrary, type ChartLibraryOptions, createChartLibrary, type FetchedChart } from '../../../src/chart/chart-library.ts';
import { type ErrorCode, isAppError } from '../../../src/domain/core/errors.ts';
import type { ChartSource } from '../../../src/domain/operator/operator-spec.ts';
import { temporaryFolder } from '../../support/charts.ts';

/** A library with a cache that goes with the test; closed to the network unless the test opens it. */
export async function libraryFor(t: TestContext, options: Partial<ChartLibraryOptions> = {}): Promise<ChartLibrary> {
  const cacheDir = join(await temporaryFolder(t), 'cache');
  return createChartLibrary({ cacheDir, roots: {}, mirrors: [], allowEgress: [], ...options });
}

export function fetchURL(library: ChartLibrary, url: string): Promise<FetchedChart> {
  return library.fetch({ kind: 'url', url }, AbortSignal.timeout(20_000));
}

export function fetchFrom(
  library: ChartLibrary,
  source: Omit<Extract<ChartSource, { kind: 'repository' }>, 'kind'>,
): Promise<FetchedChart> {
  return library.fetch({ kind: 'repository', ...source }, AbortSignal.timeout(20_000));
}

/** Asserts that the task fails with the code, and that its sentence says what it should. */
export async function assertFails(task: Promise<unknown>, code: ErrorCode, sentence: RegExp): Promise<void> {
  await assert.rejects(task, (error) => {
    assert.ok(isAppError(error), `not an AppError: ${String(error)}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, sentence);
    return true;
  });
}
