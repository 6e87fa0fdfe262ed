import { condition, degraded, healthy, otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

/** Tekton (tekton.dev): `Succeeded` is unknown while a run runs. */
const RUN: HealthRule = [
  healthy(condition('Succeeded')),
  degraded(condition('Succeeded', 'False')),
  progressing(condition('Succeeded', 'Unknown')),
  progressing(otherwise, 'Waiting for {kind} to start'),
];

export const tekton: HealthRules = { 'tekton.dev/PipelineRun': RUN, 'tekton.dev/TaskRun': RUN, 'tekton.dev/CustomRun': RUN };
