import { all, condition, degraded, field, healthy, otherwise, progressing, suspended, type HealthRules } from '../rule.ts';

const PHASE = 'status.phase';

/** Argo Workflows (argo-workflows.readthedocs.io): a CronWorkflow is well until one of its conditions says otherwise. */
export const argoWorkflows: HealthRules = {
  'argoproj.io/CronWorkflow': [
    degraded(condition(['SubmissionError', 'SpecError'])),
    suspended(field('spec.suspend', true), 'CronWorkflow is suspended'),
    healthy(condition('Completed')),
    healthy(otherwise, 'CronWorkflow is healthy.'),
  ],
  'argoproj.io/Workflow': [
    suspended(all(field('spec.suspend', true), field(PHASE, 'Pending', 'Running')), '{status.message|The workflow is suspended}'),
    healthy(field(PHASE, 'Succeeded'), '{status.message|Succeeded}'),
    degraded(field(PHASE, 'Failed', 'Error'), '{status.message|The workflow failed}'),
    progressing(otherwise, '{status.message|Waiting for the workflow to finish}'),
  ],
};
