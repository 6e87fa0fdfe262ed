import { degraded, either, healthy, otherwise, outdated, progressing, reasonOf, unreported, type HealthRule } from '../rule.ts';

/** A budget that allows no disruption at the moment does what it is there for; one that could not be worked out does not. */
export const disruptionBudget: HealthRule = [
  progressing(either(unreported, outdated()), 'Waiting for status'),
  degraded(reasonOf('DisruptionAllowed', '*', 'SyncFailed'), 'PodDisruptionBudget has {}'),
  healthy(reasonOf('DisruptionAllowed', '*'), 'PodDisruptionBudget has {}'),
  healthy(otherwise, 'PodDisruptionBudget is observed'),
];
