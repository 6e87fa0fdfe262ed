import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import { parseActor } from '../../../src/domain/kubernetes/actor.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { preflightAppDefinition } from '../../../src/operation/app-definition/preflight-app-definition.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';

const ACTOR = parseActor('test:ada', ['test:platform']);
const CRD = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {}\n';

type Ports = Parameters<typeof preflightAppDefinition>[0];

function definitionOf(name: string, version: string, repoURL = 'file://here'): KubeObject {
  return {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name: 'shop' },
    spec: { chart: { repoURL, name, version } },
  };
}

test('The dry run of an AppDefinition fetches its chart, for whoever may create it', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, {
    'shop-1.0.0.tgz': await packChart('shop', chartFiles('shop', '1.0.0')),
    'widgets-1.0.0.tgz': await packChart('widgets', chartFiles('widgets', '1.0.0', { 'crds/a.yaml': CRD })),
  });
  const library = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { here: folder }, mirrors: [], allowEgress: [] });
  const fetched: string[] = [];
  const portsOf = (allowed: boolean, fails?: AppError): Ports =>
    ({
      publicUrl: new URL('http://localhost'),
      clusters: {
        asActor: () => ({
          review: async () => ({ allowed }),
          create: async (_type: unknown, object: KubeObject) => ({ object, warnings: [] }),
        }),
      },
      upgrades: {
        queue: { run: async (_user: string, _signal: AbortSignal, task: () => Promise<unknown>) => await task() },
        charts: {
          fetch: async (...args: Parameters<typeof library.fetch>) => {
            fetched.push('chart');
            if (fails !== undefined) throw fails;
            return await library.fetch(...args);
          },
        },
      },
    }) as unknown as Ports;
  const said = async (definition: KubeObject, ports = portsOf(true)): Promise<readonly string[]> => {
    const { verdict, findings } = await preflightAppDefinition(ports, ACTOR, definition);
    return [verdict, ...findings.blocked.map(({ message }) => message), ...findings.unchecked.map(({ message }) => message)];
  };
  assert.deepEqual(await said(definitionOf('shop', '1.0.0')), ['Ready']);
  assert.deepEqual(await said(definitionOf('shop', '9.0.0')), [
    'Blocked',
    'chart: file://here/: there is no version "9.0.0" of the chart "shop"; the newest ones are 1.0.0',
  ]);
  assert.deepEqual(await said(definitionOf('shopp', '1.0.0')), [
    'Blocked',
    'chart: file://here/: the repository holds no chart named "shopp"; check the name; names like it: shop',
  ]);
  assert.match((await said(definitionOf('widgets', '1.0.0')))[1] ?? '', /it brings the CRD widgets.example.com/);
  const away = new AppError('ChartUnreachable', 'chart: the repository does not answer');
  assert.deepEqual(await said(definitionOf('shop', '1.0.0'), portsOf(true, away)), ['Incomplete', away.message]);
  const before = fetched.length;
  assert.equal((await said(definitionOf('shop', '1.0.0'), portsOf(false)))[0], 'Blocked');
  assert.equal(fetched.length, before, 'nobody else makes Chandlery fetch addresses');
});
