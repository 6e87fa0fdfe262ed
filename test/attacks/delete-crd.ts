import assert from 'node:assert/strict';
import type { Target } from './target.ts';

/** Deletes a CRD as an admin of the cluster, with the intent that admission policies ask for. The flags are those of `kubectl delete`. */
export async function deleteCrd(target: Target, name: string, flags: readonly string[] = []): Promise<void> {
  for (const args of [
    ['annotate', 'crd', name, 'chandlery.dev/deletion-intent=Cascade', '--overwrite'],
    ['delete', 'crd', name, ...flags],
  ]) {
    const { exitCode, stderr } = await target.kubectl('root', args);
    assert.equal(exitCode, 0, stderr);
  }
}
