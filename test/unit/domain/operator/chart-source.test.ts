import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf, parseOperatorSpec } from '../../../../src/domain/operator/operator-spec.ts';

describe('the source of a chart', () => {
  it('is shown without what could be a secret in it', () => {
    assert.equal(addressOf({ kind: 'url', url: 'https://ann:s3cret@h.example/a.tgz?token=t0ken#x' }), 'https://h.example/a.tgz');
    assert.equal(addressOf({ kind: 'url', url: 'https://h.example/a.tgz' }), 'https://h.example/a.tgz');
    const source = { kind: 'repository', repoURL: 'https://ann:s3cret@h.example/x', name: 'demo', version: '^1' } as const;
    assert.equal(addressOf(source), 'https://h.example/x demo ^1');
  });

  it('names the Secrets for it and for its signers', () => {
    const chart = { repoURL: 'oci://h.example', name: 'demo', version: '1.0.0' };
    const spec = { chart: { ...chart, secretRef: { name: 'repo' }, verify: { provider: 'Cosign', secretRef: { name: 'signers' } } } };
    const { chart: source } = parseOperatorSpec({ apiVersion: 'v1', kind: 'Operator', metadata: { name: 'demo' }, spec });
    assert.deepEqual(source, { kind: 'repository', ...chart, secret: 'repo', verify: { provider: 'Cosign', secret: 'signers' } });
  });
});
