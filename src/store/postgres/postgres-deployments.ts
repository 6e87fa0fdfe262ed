import {
  DEPLOYMENT_RETENTION_DAYS,
  type JobDeployment,
  type JobDeploymentTable,
  MAX_DEPLOYMENT_TARGETS,
  pipelineKey,
} from '../../domain/environment/job-deployment.ts';
import type { Database } from './database.ts';

// The rows that are deleted are never those of the target itself but the running one that ends, so that no row is touched twice.
const PUT = `WITH ended AS (
    DELETE FROM chandlery_deployments
    WHERE cluster = $1 AND environment = $2 AND target = $3 AND outcome = 'Running' AND $4 <> 'Running' AND pipeline = $5
  ), crowded AS (
    DELETE FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 AND target IN (
      SELECT target FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 AND target <> $3
      GROUP BY target ORDER BY max(recorded_at) DESC OFFSET ${MAX_DEPLOYMENT_TARGETS - 1})
  ), old AS (
    DELETE FROM chandlery_deployments
    WHERE cluster = $1 AND (environment <> $2 OR target <> $3) AND recorded_at < now() - interval '${DEPLOYMENT_RETENTION_DAYS} days'
  )
  INSERT INTO chandlery_deployments (cluster, environment, target, outcome, pipeline, deployment) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (cluster, environment, target, outcome) DO UPDATE SET pipeline = $5, deployment = $6, recorded_at = now()`;
const LIST = 'SELECT deployment FROM chandlery_deployments WHERE cluster = $1 AND environment = $2 ORDER BY recorded_at';

/** The deployments of all replicas. */
export function deploymentsIn(database: Database): JobDeploymentTable {
  return {
    put: async (environment, deployment) => {
      const { target, outcome } = deployment;
      await database.query(PUT, [environment, target, outcome, pipelineKey(deployment), JSON.stringify(deployment)]);
    },
    list: async (environment) =>
      (await database.query<{ readonly deployment: JobDeployment }>(LIST, [environment])).rows.map(({ deployment }) => deployment),
  };
}
