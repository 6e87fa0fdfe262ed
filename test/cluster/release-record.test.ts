import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { chartCommand } from '../../src/compose/chart-command.ts';
import { SECRET_BYTES, type ChartInspection } from '../../src/domain/chart/inspection/inspection.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { notesOf } from '../../src/domain/operator/release-notes.ts';
import { repoRoot } from '../support/cluster.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

const NS = `record-${RUN}`;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(() => world.stop());

describe('the record of a release', () => {
  for (const name of ['cache-operator', 'postgres-operator']) {
    it(`of ${name} is as large as inspecting the chart says, a tenth more or less`, async () => {
      const chartPath = join(repoRoot, 'charts', name);
      const said = await chartCommand({ argv: ['inspect', chartPath, '-o', 'json'], env: {}, repoRoot }, AbortSignal.timeout(60_000));
      const { release, chart } = JSON.parse(said) as ChartInspection;
      await cp(chartPath, join(world.chartsDir, name), { recursive: true });
      await world.create(NS, name, { chart: { repoURL: 'file://samples', name, version: chart.version } });
      await world.condition(NS, name, { type: 'Released', status: 'True' });
      const record = await world.kube.asController().get({ ...SECRET, namespace: NS, name: `sh.helm.release.v1.${name}.v1` });
      const bytes = Buffer.from(textAt(record, 'data', 'release') ?? '', 'base64').length;
      assert.match(notesOf(record), new RegExp(`^The operator ${name} is installed\\. [^]*kubectl explain \\w+\\.spec$`));
      assert.ok(Math.abs(bytes - release.bytes) < bytes / 10, `${bytes} bytes, said ${release.bytes}`);
    });
  }

  it('must fit into what the api-server counts once in base64', async () => {
    const secret = (name: string, bytes: number) => {
      const data = { release: Buffer.alloc(bytes, 'a').toString('base64') };
      return world.kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NS }, data });
    };
    await secret('largest', SECRET_BYTES);
    await assert.rejects(secret('larger', SECRET_BYTES + 1), (error) => isAppError(error, 'InvalidInput'));
  });
});
