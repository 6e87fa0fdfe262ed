import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  archiveOf,
  chartArchive,
  uploadedChart,
  uploadedId,
  uploadOfKubePlus,
  usesUpload,
} from '../../../../src/domain/app-definition/uploaded-chart.ts';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import { isDnsSubdomain } from '../../../../src/domain/kubernetes/names.ts';
import { runs } from '../../../support/runs.ts';

const bytes = Buffer.from('a packed chart');
const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('an uploaded chart', () => {
  it('comes back from the cluster as it was, and has an address for AppDefinitions', () => {
    const object = chartArchive({ bytes, digest, name: 'Web_App', version: '1.0.0+build', appVersion: '7' });
    assert.equal(object.metadata.name, 'web-app-1.0.0-build');
    assert.deepEqual(Buffer.from(archiveOf(object)), bytes);
    const { address, ...chart } = uploadedChart(object);
    assert.deepEqual(chart, {
      id: 'web-app-1.0.0-build',
      name: 'Web_App',
      version: '1.0.0+build',
      appVersion: '7',
      digest,
      size: 14,
      created: '',
    });
    assert.equal(uploadedId(address), object.metadata.name);
  });

  it('is not used with another content than its digest says', () => {
    const object = chartArchive({ bytes: Buffer.from('another'), digest, name: 'web', version: '1.0.0' });
    assert.throws(() => archiveOf(object), { code: 'ChartInvalid' });
  });

  it('has the address that KubePlus gives its uploads, and no other address is one', () => {
    assert.equal(uploadOfKubePlus('file:///hello-world-chart-0.0.2.tgz'), 'file://uploaded/hello-world-chart-0.0.2.tgz');
    for (const address of ['https://example.com/a.tgz', 'file://charts/a.tgz', 'file:///a/b.tgz', 'oci://example.com/a'])
      assert.deepEqual([uploadOfKubePlus(address), uploadedId(address)], [address, undefined]);
    for (const name of ['../a', 'a/b', 'A', '', '.', 'a..b']) assert.equal(uploadedId(`file://uploaded/${name}.tgz`), undefined, name);
  });

  it('is used by its address, in the version that is named, and in the one that a range has come to', () => {
    const chart = uploadedChart(chartArchive({ bytes, digest, name: 'Web_App', version: '1.1.0' }));
    const isUser = (spec: object, status: object = {}): boolean =>
      usesUpload(chart, { apiVersion: 'v1', kind: 'Any', metadata: { name: 'any' }, spec, status });
    const source = { repoURL: 'file://uploaded', name: 'Web_App', version: '^1.0.0' };
    const at = (version: string): object => ({ chart: { version } });
    assert.ok(isUser({ chartURL: chart.address }));
    assert.ok(isUser({ chart: { ...source, version: 'v1.1.0' } }), 'of an AppDefinition that names it');
    assert.ok(
      isUser({ source: { chart: { ...source, version: '1.1.0' } }, chart: { name: 'Web_App', version: '1.1.0' } }),
      'of an AppRevision',
    );
    assert.ok(isUser({ chart: { ...source, repoURL: 'file://uploaded/' } }, at('1.1.0')), 'of an Operator that follows a range');
    assert.ok(!isUser({ chart: source }, at('1.2.0')), 'the range has gone on');
    assert.ok(!isUser({ chart: { ...source, name: 'web' } }, at('1.1.0')), 'another chart');
    assert.ok(!isUser({ chart: { ...source, repoURL: 'file://charts' } }, at('1.1.0')), 'another repository');
  });

  it('says what it is when somebody applied it with kubectl, too', () => {
    const { metadata, ...object } = chartArchive({ bytes, digest, name: 'Web_App', version: '1.0.0+build' });
    const { id, name, version, size } = uploadedChart({ ...object, metadata: { name: metadata.name } });
    assert.deepEqual({ id, name, version, size }, { id: 'web-app-1.0.0-build', name: 'Web_App', version: '1.0.0+build', size: 14 });
  });

  it('has a name that the cluster takes, whatever the chart calls itself, or is rejected', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300 }), fc.string({ minLength: 1, maxLength: 40 }), (name, version) => {
        try {
          const archive = chartArchive({ bytes, digest, name, version });
          assert.ok(isDnsSubdomain(archive.metadata.name));
          assert.equal(uploadedId(uploadedChart(archive).address), archive.metadata.name);
        } catch (error) {
          assert.ok(isAppError(error, 'InvalidInput'), String(error));
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
