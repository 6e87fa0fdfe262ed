import {
  absent,
  condition,
  degraded,
  field,
  healthy,
  outdated,
  progressing,
  suspended,
  unknown,
  type HealthRule,
  type HealthRules,
} from '../rule.ts';

const PHASE = 'status.phase';

/** Argo Rollouts (argo-rollouts.readthedocs.io): phases of rollouts, and of what is measured beside them. */
export const argoRollouts: HealthRules = {
  'argoproj.io/Experiment': run('Experiment', 'experiment'),
  'argoproj.io/AnalysisRun': run('Analysis run', 'analysis run'),
  'argoproj.io/Rollout': [
    progressing(outdated(), 'Waiting for rollout to finish: observed rollout generation less than desired generation'),
    healthy(field(PHASE, 'Healthy'), '{status.message}'),
    suspended(field(PHASE, 'Paused'), '{status.message|Rollout is paused}'),
    degraded(field(PHASE, 'Degraded'), '{status.message}'),
    progressing(field(PHASE, 'Progressing'), '{status.message|Rollout is progressing}'),
    suspended(field('spec.paused', true), 'Rollout is paused'),
    degraded(condition('InvalidSpec')),
  ],
};

function run(name: string, lower: string): HealthRule {
  return [
    progressing(absent('status'), `Waiting for ${lower} to finish: status has not been reconciled.`),
    progressing(field(PHASE, 'Pending'), `${name} is pending`),
    progressing(field(PHASE, 'Running'), `${name} is running`),
    healthy(field(PHASE, 'Successful'), `${name} is successful`),
    degraded(field(PHASE, 'Failed'), `${name} has failed`),
    degraded(field(PHASE, 'Error'), `${name} had an error`),
    unknown(field(PHASE, 'Inconclusive'), `${name} is inconclusive`),
  ];
}
