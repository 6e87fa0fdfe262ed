import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../src/helm/post-render/plain.sh', import.meta.url));

describe('the post-renderer for charts that need none', () => {
  const run = (input: string) => spawnSync('/bin/sh', [SCRIPT, 'plain'], { input, encoding: 'utf8', maxBuffer: 4 * 1024 * 1024 });

  it('gives out what came in, whatever a shell might see in it', () => {
    const text = 'kind: ConfigMap\ndata:\n  a: "$HOME `id` \\\\n %s"\n  b: |\n    -n\n\n    é\n';
    assert.deepEqual([run(text).stdout, run(text).status], [text, 0]);
  });

  it('gives out a comment for nothing', () => assert.equal(run('').stdout, '# nothing to install\n'));

  it('takes a megabyte', () => {
    const text = `data: ${'x'.repeat(1024 * 1024)}\n`;
    assert.equal(run(text).stdout, text);
  });

  it('rejects a CRD', () => {
    const { status, stdout, stderr } = run('kind: CustomResourceDefinition\n');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /renders a CustomResourceDefinition/);
  });
});
