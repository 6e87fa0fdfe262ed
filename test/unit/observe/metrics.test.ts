import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/observe/metrics.ts';

test('what was counted is reported in the text format of Prometheus', async () => {
  const metrics = createMetrics({ version: '1.2.3' });
  metrics.httpAnswered({ method: 'GET', route: '/apps/{app}', status: 200 }, 0.02);
  metrics.reconciled('environment', 'succeeded', 0.2);
  metrics.helmRan('upgrade', 'failed', 3);
  metrics.clusterReachable('yes');
  let operators = 2;
  metrics.measure(() => [{ gauge: 'chandlery_operators', labels: { status: 'READY' }, value: operators }]);
  const { body, contentType } = await metrics.text();
  assert.match(contentType, /^text\/plain/);
  assert.match(body, /chandlery_http_request_duration_seconds_count\{method="GET",route="\/apps\/\{app\}",status="200"\} 1/);
  assert.match(body, /chandlery_reconcile_duration_seconds_count\{controller="environment",outcome="succeeded"\} 1/);
  assert.match(body, /chandlery_helm_duration_seconds_count\{command="upgrade",outcome="failed"\} 1/);
  assert.match(body, /chandlery_cluster_reachable 1/);
  assert.match(body, /chandlery_build_info\{version="1\.2\.3",node="v\d+[^"]*"\} 1/);
  assert.match(body, /chandlery_operators\{status="READY"\} 2/);
  operators = 3;
  assert.match((await metrics.text()).body, /chandlery_operators\{status="READY"\} 3/);
});
