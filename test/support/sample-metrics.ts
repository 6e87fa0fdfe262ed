import { metricChart } from '../../src/domain/monitoring/metrics.ts';
import type { Metrics } from '../../src/operation/monitoring/show-metrics.ts';

const [FROM, TO] = [Date.parse('2026-11-21T06:00:00Z') / 1000, Date.parse('2026-11-21T12:00:00Z') / 1000];
const MIB = 1024 * 1024;

/** The charts of an environment whose memory grows. */
export function sampleMetrics(range: Metrics['range']): Metrics {
  const points = (base: number, wave: number): [number, number][] =>
    Array.from({ length: 121 }, (_, index) => [FROM + index * 180, base + wave * Math.sin(index / 9) + index * (wave / 40)]);
  const thresholds = [{ value: 900 * MIB, severity: 'Warning' as const }];
  const memory = {
    title: 'Memory',
    query: 'm',
    unit: 'Bytes',
    legend: '{{pod}}',
    description: 'Working set of the containers.',
    thresholds,
  } as const;
  const errors = { ...memory, title: 'Errors', unit: 'PerSecond', description: '', thresholds: [] } as const;
  return {
    configured: true,
    range,
    from: new Date(FROM * 1000).toISOString(),
    to: new Date(TO * 1000).toISOString(),
    charts: [
      metricChart(
        memory,
        ['orders-0', 'orders-1', 'orders-2'].map((pod, index) => ({
          labels: { pod },
          points: points((700 - 150 * index) * MIB, 60 * MIB),
        })),
      ),
      metricChart(errors, []),
      { ...metricChart({ ...errors, title: 'Latency' }, []), fault: 'prometheus: metrics.example.com: no answer within 10 seconds' },
    ],
  };
}
