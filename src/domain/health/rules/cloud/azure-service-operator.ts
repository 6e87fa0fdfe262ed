import { all, condition, healthy, present, progressing, unreported, type HealthRules } from '../rule.ts';

/** Azure Service Operator (azure.github.io/azure-service-operator): `Ready` carries a severity; `Info` means that the work goes on. */
export const azureServiceOperator: HealthRules = {
  '*.azure.com/*': [
    healthy(condition('Ready')),
    progressing(condition('Ready', ['False', 'Unknown'], ['Reconciling', 'Deleting'])),
    progressing(all(unreported, present('spec.owner')), 'Waiting for {kind} to report a status'),
  ],
};
