import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { chartCommand } from '../../../src/compose/chart-command.ts';
import { formCommand } from '../../../src/compose/form-command.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { createHelm } from '../../../src/helm/helm.ts';
import { createChartRenderer } from '../../../src/helm/render-chart.ts';
import { releaseRecordBytes } from '../../../src/helm/release-record.ts';
import type { OverlaidValues } from '../../../src/operation/upgrade/preview-values.ts';
import { renderPreview } from '../../../src/operation/upgrade/check-upgrade.ts';
import type { ReleaseRecord, UpgradeChart } from '../../../src/operation/upgrade/upgrade-ports.ts';
import type { OperatorSpec } from '../../../src/domain/operator/operator-spec.ts';
import { chartFiles, packChart, serveHttp, temporaryFolder, writeFiles } from '../../support/charts.ts';

const repoRoot = resolve(import.meta.dirname, '../../..');
const { signal } = new AbortController();

test('What a schema refers to elsewhere is never fetched, by nothing that looks at it', async (t) => {
  const requests: string[] = [];
  const url = await serveHttp(t, (request, response) => {
    requests.push(request.url ?? '');
    response.end('{"not":{}}');
  });
  const folder = await temporaryFolder(t);
  // Whoever followed the file would find that the value is rejected.
  await writeFile(join(folder, 'never.json'), '{"not":{}}');
  const schema = pointing(url, pathToFileURL(join(folder, 'never.json')).href);
  const files = chartFiles('demo', '1.0.0', {
    'values.schema.json': stringifyJson(schema),
    'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
    'values.yaml': 'byHttp: 1\nbyFile: 1\nplain: 1\n',
  });
  await writeFiles(join(folder, 'demo'), files);
  const lines = await formCommand(['-f', join(folder, 'demo')], signal);
  assert.match(lines, /values\.byHttps\s+yaml.*refers to another document/);
  assert.match(lines, /, 0 unreachable/);
  const inspected = await chartCommand({ argv: ['inspect', join(folder, 'demo'), '-o', 'json'], env: {}, repoRoot }, signal);
  assert.match(inspected, /ValuesUnchecked/);
  assert.doesNotMatch(inspected, /DefaultValuesInvalid|RenderFailed/);
  const path = join(folder, 'demo.tgz');
  await writeFile(path, await packChart('demo', files));
  const planned = await plan({ path, schema, folder }, { byHttp: 1, plain: 'text' });
  assert.deepEqual(planned.faults, ['The values violate the schema of the chart: plain: must be integer']);
  assert.match(planned.unchecked.join(), /never fetched/);
  assert.equal(planned.objects.length > 0, true);
  assert.deepEqual(requests, []);
  // The server is there for whoever asks.
  await fetch(`${url}/schema.json`);
  assert.deepEqual(requests, ['/schema.json']);
});

function pointing(url: string, file: string): JsonObject {
  return {
    $schema: `${url}/meta.json`,
    properties: {
      byHttp: { $ref: `${url}/schema.json` },
      byHttps: { $ref: `${url.replace('http:', 'https:')}/schema.json#/$defs/a` },
      byFile: { $ref: file },
      bySibling: { $ref: 'never.json' },
      dynamic: { $dynamicRef: `${url}/dynamic.json#a` },
      parts: { allOf: [{ $ref: `${url}/part.json` }, { anyOf: [{ $ref: `${url}/branch.json` }] }] },
      plain: { type: 'integer' },
    },
  };
}

async function plan({ path, schema, folder }: { path: string; schema: JsonObject; folder: string }, values: JsonObject) {
  const { helm: program } = await loadTools(repoRoot);
  const helm = await createHelm({ program, homeDir: join(folder, 'helm'), maxChildren: 1, log: { debug: () => undefined } });
  const recordBytes = ({ chart: { contents }, values: config, objects }: ReleaseRecord): Promise<number> =>
    releaseRecordBytes({ metadata: contents.metadata, values: contents.values, config, files: new Map(), objects });
  const renderChart = createChartRenderer({
    render: helm.render,
    discovery: { kinds: async () => [] },
    kubernetesVersion: async () => 'v1.36.3',
  });
  const ports = { upgrades: { renderChart, recordBytes } } as unknown as Parameters<typeof renderPreview>[0];
  const chart: UpgradeChart = {
    digest: 'sha256:demo',
    path,
    contents: { metadata: { name: 'demo', version: '1.0.0' }, values: {}, schema, crds: [] },
  };
  const spec = { releaseName: 'demo', targetNamespace: 'default', legacyAPIs: 'Uplift' } as OperatorSpec;
  const overlaid = { layers: [{ origin: 'spec.values', values }], secrets: [] } as unknown as OverlaidValues;
  return await renderPreview(ports, { spec, values: overlaid, action: 'install', label: 'default.demo', signal }, chart);
}
