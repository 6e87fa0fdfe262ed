import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmInstallation, type FirstInstallation, requireInstalled } from '../../../../src/compose/leader/confirm-installation.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { ErrorCode } from '../../../../src/domain/core/errors.ts';
import { repoRoot } from '../../../support/cluster.ts';

/** A cluster whose reads fail so, one after another, the last for ever. */
function clusterFailing(...codes: readonly ErrorCode[]): FirstInstallation['kube'] {
  let reads = 0;
  const get = async (): Promise<never> => {
    const code = codes[Math.min(reads, codes.length - 1)] ?? 'NotFound';
    reads += 1;
    throw new AppError(code, 'no answer');
  };
  return { asController: () => ({ get }), server: () => 'https://cluster.example' } as unknown as FirstInstallation['kube'];
}

const dialog = { note: () => assert.fail('nobody is to be asked') };
const input = { repoRoot, adminGroups: [], dialog };

test('nobody is asked about a cluster that does not answer', async () => {
  assert.equal(await confirmInstallation({ ...input, kube: clusterFailing('ClusterUnavailable') }), 'Unknown');
});

test('nobody is asked where the account may not read CRDs, and so installs none', async () => {
  assert.equal(await confirmInstallation({ ...input, kube: clusterFailing('Forbidden') }), 'Confirmed');
});

test('a cluster that did not answer at the start and never had Chandlery gets nothing when it comes', async () => {
  const kube = clusterFailing('ClusterUnavailable', 'NotFound');
  await assert.rejects(
    requireInstalled({ kube }, new AbortController().signal),
    /https:\/\/cluster\.example.*nothing was created; start with --yes/,
  );
});
