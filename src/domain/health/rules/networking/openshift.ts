import { at, listAt } from '../../../core/read.ts';
import { conditionsIn } from '../conditions.ts';
import { condition, degraded, healthy, otherwise, progressing, type HealthLine, type HealthRules } from '../rule.ts';

/** Each router that takes up a route says so by itself. */
const admitted: HealthLine = ({ status }) => {
  const routers = listAt(status, 'ingress').slice(0, MOST_ROUTERS);
  const words = routers.map((router) => conditionsIn(at(router, 'conditions')).find(({ type }) => type === 'Admitted')?.status);
  if (words.includes('False')) return { status: 'Degraded', message: 'Route is degraded' };
  const isAdmitted = words.length > 0 && words.every((word) => word === 'True');
  return isAdmitted ? { status: 'Healthy', message: 'Route is healthy' } : undefined;
};

const MOST_ROUTERS = 50;

/** Traffic into OpenShift (docs.openshift.com, "Ingress and load balancing"). */
export const openshift: HealthRules = {
  'route.openshift.io/Route': [admitted, progressing(otherwise, 'Route is still getting admitted')],
  'operator.openshift.io/IngressController': [
    degraded(condition('Degraded')),
    progressing(condition('DeploymentReplicasAllAvailable', 'False')),
    healthy(condition('Available'), 'IngressController is available'),
    degraded(condition('Available', 'False')),
    progressing(otherwise, 'Status of IngressController is not known yet'),
  ],
};
