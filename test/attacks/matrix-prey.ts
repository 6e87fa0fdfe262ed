import assert from 'node:assert/strict';
import pMap from 'p-map';
import { chartArchive } from '../../src/domain/app-definition/uploaded-chart.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';
import { ATTACKED, PROJECT } from './people.ts';
import type { Target } from './target.ts';

// What the requests of the matrix read, change and delete.

/** What the matrix needs of a running product. */
export interface MatrixTarget extends Pick<Target, 'origin' | 'stateDir' | 'kubeconfigPath' | 'chartsDir' | 'token' | 'call'> {
  readonly ci: Pick<Target['ci'], 'sign'>;
}

export interface Prey extends MatrixTarget {
  /** As the admin of the cluster. */
  readonly kube: Kube;
}

export const PREY = 'matrix';
export const RELEASE = 'v1.0.0';
const MEMBERS = ['viewer', 'developer', 'maintainer'].map((role) => ({ name: `oidc:${role}s`, role }));
export const SPARE_SPEC = { groups: MEMBERS, projects: [{ name: PROJECT, role: 'developer' }] };
/** The Environment that may be changed and deleted. */
export const SPARE = 'matrix-spare';
export const OPERATOR = {
  metadata: { name: PREY, namespace: 'chandlery-system' },
  spec: { chartURL: 'file://charts/cache-operator', suspend: true },
};

export const DEFINITION = {
  apiVersion: 'chandlery.dev/v1alpha1',
  kind: 'AppDefinition',
  metadata: { name: PREY },
  spec: { chartURL: 'file://charts/apps/queue', suspend: true },
};
export const ARCHIVE = chartArchive({ bytes: Buffer.from('no chart'), digest: `sha256:${'0'.repeat(64)}`, name: PREY, version: '1.0.0' });
export function kubeOf({ kubeconfigPath }: MatrixTarget): Kube & AsyncDisposable {
  const kube = openKube(kubeconfigPath, { userAgent: 'matrix' });
  return { ...kube, [Symbol.asyncDispose]: kube.close };
}

/** Deletes what the matrix made beyond the environments. */
export async function removePrey(target: MatrixTarget): Promise<void> {
  await using kube = kubeOf(target);
  for (const object of preyIn(target.chartsDir)) {
    const type = await kube.find(object.apiVersion, object.kind);
    if (type !== undefined)
      await kube
        .asController()
        .delete({ ...type, ...object.metadata })
        .catch(() => undefined);
  }
}

function preyIn(chartsDir: string): readonly KubeObject[] {
  const containers = [{ name: 'main', image: 'registry.example.com/matrix:1' }];
  const template = { metadata: { labels: { app: PREY } }, spec: { containers } };
  const jobTemplate = { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } };
  const metadata = { name: PREY, namespace: ATTACKED };
  return [
    { apiVersion: 'samples.chandlery.dev/v1alpha1', kind: 'Cache', metadata, spec: { replicas: 1 } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector: { matchLabels: { app: PREY } }, template } },
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '0 0 1 1 *', jobTemplate } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } },
    { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', ...OPERATOR },
    { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: SPARE }, spec: SPARE_SPEC },
    DEFINITION,
    ARCHIVE,
    {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: PREY },
      spec: { folder: { path: chartsDir }, suspend: true },
    },
    {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogRelease',
      metadata: { name: RELEASE },
      spec: { version: RELEASE, state: 'wip', components: [{ name: 'cache', chart: 'cache-operator', version: '0.1.0' }] },
    },
  ];
}

/** Puts back what a call that was let through has changed or deleted. */
export async function makePrey({ chartsDir, kube }: Prey): Promise<void> {
  await pMap(preyIn(chartsDir), async (object) => {
    const type = await kube.find(object.apiVersion, object.kind);
    assert.ok(type !== undefined, object.kind);
    await eventually(async () => {
      const { object: made } = await kube.asController().apply(type, object, { fieldManager: 'matrix', force: 'force' });
      return made.metadata.deletionTimestamp === undefined;
    }, `${object.kind} is there`);
  });
}
