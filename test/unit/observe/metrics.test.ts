import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/observe/metrics.ts';

test('what was counted is told in the text format of Prometheus', async () => {
  const metrics = createMetrics();
  metrics.httpAnswered({ method: 'GET', route: '/apps/{app}', status: 200 }, 0.02);
  metrics.reconciled('environment', 'succeeded', 0.2);
  metrics.helmRan('upgrade', 'failed', 3);
  metrics.clusterReachable('yes');
  const { body, contentType } = await metrics.text();
  assert.match(contentType, /^text\/plain/);
  assert.match(body, /chandlery_http_request_duration_seconds_count\{method="GET",route="\/apps\/\{app\}",status="200"\} 1/);
  assert.match(body, /chandlery_reconcile_duration_seconds_count\{controller="environment",outcome="succeeded"\} 1/);
  assert.match(body, /chandlery_helm_duration_seconds_count\{command="upgrade",outcome="failed"\} 1/);
  assert.match(body, /chandlery_cluster_reachable 1/);
});
