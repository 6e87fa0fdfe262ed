import { textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { all, degraded, field, healthy, otherwise, progressing, type Finding, type HealthRules } from '../rule.ts';

/** `status.scale.statusReplicas` reads like `1/3`: ready of wanted ones. */
function replicas(isSo: (ready: number, wanted: number) => boolean): Finding {
  return (object) => {
    const counts = countsOf(object);
    return counts !== undefined && isSo(...counts) ? '' : undefined;
  };
}

function countsOf({ status }: KubeObject): [ready: number, wanted: number] | undefined {
  const [, ready, wanted] = /^(\d{1,9})\/(\d{1,9})$/.exec(textAt(status, 'scale', 'statusReplicas') ?? '') ?? [];
  return ready === undefined || wanted === undefined ? undefined : [Number(ready), Number(wanted)];
}

/** OpenTelemetry (opentelemetry.io/docs/platforms/kubernetes/operator). As a sidecar, a collector runs in the pods of others. */
export const openTelemetry: HealthRules = {
  'opentelemetry.io/OpenTelemetryCollector': [
    healthy(field('spec.mode', 'sidecar'), 'Collector is running in sidecar mode'),
    healthy(
      all(
        field('spec.mode', 'daemonset'),
        replicas((_, wanted) => wanted === 0),
      ),
      'DaemonSet has no eligible nodes (0/0)',
    ),
    healthy(
      replicas((ready, wanted) => ready >= wanted),
      'All replicas are ready',
    ),
    degraded(
      replicas((ready) => ready === 0),
      'No replicas are ready',
    ),
    progressing(otherwise, 'Replicas are starting up'),
  ],
};
