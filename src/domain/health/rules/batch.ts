import { condition, degraded, field, type HealthRules, healthy, otherwise, progressing, suspended, unreported } from './rule.ts';

/** JobSet (jobset.sigs.k8s.io): jobs that start, run and end together. `StartupPolicyCompleted` is about the start alone. */
const jobSet: HealthRules = {
  'jobset.x-k8s.io/JobSet': [
    degraded(condition('Failed')),
    healthy(condition('Completed')),
    suspended(condition('Suspended')),
    progressing(otherwise, 'Waiting for the jobs to complete'),
  ],
};

/** Kueue (kueue.sigs.k8s.io): a Workload waits for quota, runs once it is admitted, and is queued again when another one takes its place. */
const kueue: HealthRules = {
  'kueue.x-k8s.io/Workload': [
    degraded(condition('Finished', 'True', 'Failed')),
    healthy(condition('Finished')),
    suspended(field('spec.active', false), 'The Workload is deactivated'),
    degraded(condition('QuotaReserved', 'False', 'Inadmissible')),
    progressing(condition('PodsReady', 'False')),
    healthy(condition('Admitted'), '{|The Workload is admitted}'),
    progressing(condition('QuotaReserved', 'False')),
    progressing(otherwise, 'Waiting for quota'),
  ],
};

/** Ray on Kubernetes (docs.ray.io): a service has no endpoints until its applications run, and an upgrade has a second cluster beside the first. */
const ray: HealthRules = {
  'ray.io/RayService': [
    progressing(condition('Ready', 'False', ['Initializing', 'ZeroServeEndpoints'])),
    progressing(unreported, 'Waiting for {kind} to report a status'),
  ],
};

/** Volcano (volcano.sh): a queue is open for jobs, or closed by somebody. */
const volcano: HealthRules = {
  'scheduling.volcano.sh/Queue': [
    healthy(field('status.state', 'Open')),
    suspended(field('status.state', 'Closed')),
    progressing(field('status.state', 'Closing')),
  ],
};

export const batch: readonly HealthRules[] = [jobSet, kueue, ray, volcano];
