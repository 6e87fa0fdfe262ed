import { compareTexts } from '../domain/core/compare-texts.ts';
import { type JobDeployment, type JobDeploymentTable, MAX_DEPLOYMENT_TARGETS, pipelineKey } from '../domain/environment/job-deployment.ts';

/** The part of a file that deployments are in, by environment. */
export interface DeploymentData {
  readonly deployments: Record<string, readonly JobDeployment[]>;
}

interface DeploymentFile {
  readonly data: DeploymentData;
  write(): Promise<void>;
}

/** Beyond these, those of the environment that came first are forgotten. */
const MAX_ENVIRONMENTS = 1_000;

/** The deployments of one machine. */
export function deploymentsOf(low: DeploymentFile): JobDeploymentTable {
  const listed = (environment: string): readonly JobDeployment[] =>
    Object.hasOwn(low.data.deployments, environment) ? (low.data.deployments[environment] ?? []) : [];
  return {
    list: async (environment) => structuredClone(listed(environment)),
    put: async (environment, deployment) => {
      const kept = listed(environment).filter((one) => one.target !== deployment.target || !isReplaced(one, deployment));
      low.data.deployments[environment] = newestTargets([...kept, structuredClone(deployment)]);
      const [first] = Object.keys(low.data.deployments);
      if (first !== undefined && Object.keys(low.data.deployments).length > MAX_ENVIRONMENTS) delete low.data.deployments[first];
      await low.write();
    },
  };
}

function isReplaced(before: JobDeployment, deployment: JobDeployment): boolean {
  return before.outcome === deployment.outcome || (before.outcome === 'Running' && pipelineKey(before) === pipelineKey(deployment));
}

function newestTargets(deployments: readonly JobDeployment[]): readonly JobDeployment[] {
  const newest = deployments.toSorted((a, b) => compareTexts(b.time, a.time));
  const targets = new Set([...new Set(newest.map(({ target }) => target))].slice(0, MAX_DEPLOYMENT_TARGETS));
  return deployments.filter(({ target }) => targets.has(target));
}
