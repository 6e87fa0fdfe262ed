import { compareTexts } from '../core/compare-texts.ts';

/** The CI job that a token was issued to. A text is empty where the issuer says nothing about it. */
export interface CiJob {
  /** `shop/orders` */
  readonly project: string;
  readonly ref: string;
  readonly commit: string;
  /** https alone; see `httpsAddress`. */
  readonly pipelineURL: string;
}

export const DEPLOYMENT_OUTCOMES = ['Running', 'Succeeded', 'Failed'] as const;
export type DeploymentOutcome = (typeof DEPLOYMENT_OUTCOMES)[number];

/** What somebody, mostly a CI job, deployed to an environment. */
export interface JobDeployment extends CiJob {
  /** An app or a workload: `web`, `deployments.apps/web`, `caches.samples.chandlery.dev/orders`. */
  readonly target: string;
  readonly outcome: DeploymentOutcome;
  /** The code of the error that stopped it, or what the job reports. */
  readonly message: string;
  /** As the api-server sees the job. */
  readonly user: string;
  /** RFC 3339: when it began while it runs, else when it ended. */
  readonly time: string;
}

/** Targets of one environment; those whose last deployment is the oldest are forgotten. */
export const MAX_DEPLOYMENT_TARGETS = 200;
export const DEPLOYMENT_RETENTION_DAYS = 400;

/** What is kept of each target: its last deployment of each outcome. An environment is known by its uid. */
export interface JobDeploymentTable {
  /** Keeps a deployment in place of the one before of the same target and outcome. One that ends is no longer running. */
  put(environment: string, deployment: JobDeployment): Promise<void>;
  list(environment: string): Promise<readonly JobDeployment[]>;
}

/** The last deployments of one target. */
export interface DeploymentRow {
  readonly target: string;
  readonly running?: JobDeployment;
  readonly lastSuccessful?: JobDeployment;
  readonly lastFailed?: JobDeployment;
}

const MEMBERS = { Running: 'running', Succeeded: 'lastSuccessful', Failed: 'lastFailed' } as const;

/** By target. */
export function deploymentRows(deployments: readonly JobDeployment[]): readonly DeploymentRow[] {
  const rows = new Map<string, DeploymentRow>();
  for (const deployment of deployments) {
    const { target, outcome } = deployment;
    rows.set(target, { ...(rows.get(target) ?? { target }), [MEMBERS[outcome]]: deployment });
  }
  return [...rows.values()].toSorted((a, b) => compareTexts(a.target, b.target));
}

/** By which the end of a deployment is matched with its start: its pipeline, else its commit. */
export function pipelineKey({ pipelineURL, commit, user }: JobDeployment): string {
  return pipelineURL || commit || user;
}
