import { deploymentRows, type JobDeployment } from '../../src/domain/environment/job-deployment.ts';
import type { EnvironmentDeployments } from '../../src/operation/environment/job-deployments.ts';
import { sampleResources } from './sample-resources.ts';

export function sampleDeployment(change: Partial<JobDeployment>): JobDeployment {
  return {
    target: 'deployments.apps/web',
    outcome: 'Succeeded',
    message: '',
    user: 'ci:shop/orders',
    time: '2026-11-20T09:00:00.000Z',
    project: 'shop/orders',
    ref: 'main',
    commit: '0123456789abcdef0123456789abcdef01234567',
    pipelineURL: 'https://gitlab.example.com/shop/orders/-/pipelines/4711',
    ...change,
  };
}

/** In `team-a` with everything that a page can show; elsewhere the permission is missing. */
export function sampleDeployments(name: string): EnvironmentDeployments {
  const { environment } = sampleResources(name, {});
  const missing = { verb: 'list', group: 'chandlery.dev', resource: 'deploymentrecords', namespace: environment.namespace };
  if (name !== 'team-a') return { environment, deployments: [], missing };
  const all = [
    sampleDeployment({}),
    sampleDeployment({ outcome: 'Failed', message: 'QuotaExceeded', time: '2026-11-19T09:00:00.000Z', pipelineURL: '' }),
    sampleDeployment({ target: 'web', project: '', ref: '', commit: '', outcome: 'Running' }),
  ];
  return { environment, deployments: deploymentRows(all) };
}
