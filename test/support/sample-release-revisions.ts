import { page, type SamplePage } from './sample-page.ts';
import type { ReleaseHistory, ReleaseRevisionValues } from '../../src/operation/instance/release-revisions.ts';

const HISTORY = '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/history';

export const RELEASE_REVISION_PAGES: readonly SamplePage[] = [
  page(`${HISTORY}?release=3`, 'dev-a', {
    title: 'History of orders in Team A',
    holds: ['Values of revision 3', 'Revision 2</th>', 'helm get values webapp-orders --revision 3', 'rolled back to revision 1'],
  }),
  page(`${HISTORY}?release=1`, 'dev-a', { title: 'History of orders in Team A', holds: ['Permission denied'] }),
];

const CHART = { chart: 'web-app', time: '2026-01-01T00:00:00Z' };

/** The release of an instance of a chart, which the sample `orders` stands for. */
export function sampleReleaseHistory(name: string): ReleaseHistory {
  if (name !== 'orders') return { revisions: [] };
  return {
    release: { namespace: 'team-a', name: 'webapp-orders' },
    revisions: [
      { ...CHART, revision: 3, version: '0.2.0', status: 'deployed', healthy: true, tested: true },
      { ...CHART, revision: 2, version: '0.3.0', status: 'rolled-back', healthy: false, rolledBackTo: 1 },
      { ...CHART, revision: 1, version: '0.2.0', status: 'superseded', healthy: true },
    ],
  };
}

/** Revision 1 cannot be read. */
export function sampleReleaseRevision(revision: number): ReleaseRevisionValues {
  const shown = {
    revision,
    chart: 'web-app',
    version: '0.2.0',
    helm: `helm get values webapp-orders --revision ${revision} --namespace team-a`,
  };
  if (revision === 1) {
    return { ...shown, values: {}, changes: [], missing: [{ verb: 'get', group: '', resource: 'secrets', namespace: 'team-a' }] };
  }
  return {
    ...shown,
    values: { replicas: 3, auth: { password: '<masked: spec.values.auth.password>' } },
    before: revision - 1,
    changes: [{ path: 'spec.values.replicas', from: 2, to: 3, layer: 'you', secret: false }],
    missing: [],
  };
}
