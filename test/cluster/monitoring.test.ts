import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { openBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, until } from '../support/product.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { signIn } from '../support/visitor.ts';

// Runs in test:all: it builds and runs Prometheus.

/** What Prometheus adds when it scrapes. */
const TARGET_LABELS = ['namespace', 'job', 'instance', 'pod', 'service'];
const QUERY_WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

let product: SharedProduct;
let prometheus: Prometheus;

before(async () => {
  product = await sharedProduct();
  prometheus = await startPrometheus(new URL(product.metricsUrl).host, await freePort());
  const isReady = async (): Promise<boolean> => /^chandlery_operators\{status="READY"\} ([2-9]|\d\d)$/m.test(await metricsText());
  await until(isReady, 'the Operators of the catalogue are Ready', 120_000);
  await product.api('admin', '/me');
});
after(async () => {
  await prometheus.stop();
  await product.stop();
});

describe('Monitoring', () => {
  it('reads the metrics on a port of their own, and not on that of the pages', async () => {
    assert.equal((await fetch(`${product.origin}/metrics`)).status, 404);
    assert.equal((await fetch(new URL('/', product.metricsUrl))).status, 404);
    assert.equal((await fetch(product.metricsUrl, { method: 'POST' })).status, 404);
    assert.match(await metricsText(), /^chandlery_build_info\{/m);
  });

  it('renders nothing for the Prometheus operator and Grafana unless configured', async () => {
    const kinds = (await rendered()).map((manifest) => textAt(manifest, 'kind'));
    assert.ok(kinds.includes('Deployment') && !kinds.includes('ServiceMonitor') && !kinds.includes('PrometheusRule'), kinds.join());
    assert.ok(!(await rendered()).some((manifest) => textAt(manifest, 'metadata', 'name') === 'chandlery-dashboard'));
  });

  it('scrapes the Service of the metrics port alone', async () => {
    const manifests = await renderedWithAll();
    const selector = objectAt(one(manifests, 'ServiceMonitor'), 'spec', 'selector', 'matchLabels');
    const selected = manifests.filter(
      (manifest) =>
        textAt(manifest, 'kind') === 'Service' &&
        Object.entries(selector).every(([key, value]) => textAt(manifest, 'metadata', 'labels', key) === value),
    );
    assert.deepEqual(
      selected.map((service) => textAt(service, 'metadata', 'name')),
      ['chandlery-metrics'],
    );
    const [endpoint] = listAt(one(manifests, 'ServiceMonitor'), 'spec', 'endpoints');
    assert.equal(textAt(endpoint, 'port'), textAt(selected[0], 'spec', 'ports', 0, 'name'));
  });

  it('asks for metrics and labels that the running product has, in every alert and panel', async () => {
    const manifests = await renderedWithAll();
    const samples = samplesOf(await metricsText());
    const [alerts, panels] = [alertsIn(manifests).map((alert) => textAt(alert, 'expr') ?? ''), panelQueries(manifests)];
    assert.ok(alerts.length >= 10 && panels.length >= 15, `${alerts.length} alerts, ${panels.length} queries of panels`);
    assert.deepEqual(
      [...alerts, ...panels].flatMap((query) => unknownIn(query, samples)),
      [],
    );
  });

  it('has what is wrong, what it means and what to do for every alert', async () => {
    const docs = await readFile(join(repoRoot, 'docs', 'administering.md'), 'utf8');
    for (const alert of alertsIn(await renderedWithAll())) {
      const name = textAt(alert, 'alert') ?? '';
      assert.match(textAt(alert, 'labels', 'severity') ?? '', /^(critical|warning|info)$/, name);
      assert.ok((textAt(alert, 'annotations', 'summary') ?? '').length > 10, name);
      assert.ok((textAt(alert, 'annotations', 'description') ?? '').length > 30, name);
      assert.equal(textAt(alert, 'annotations', 'runbook_url'), `https://docs.example.com/administering.md#${name.toLowerCase()}`);
      assert.match(docs, new RegExp(`^### ${name}$`, 'm'));
    }
  });
});

describe('the metrics of an environment', () => {
  const monitoring = (queries: readonly object[], more: object = {}): object => ({
    prometheus: { url: prometheus.url, secretRef: { name: 'prometheus' }, ...more },
    queries,
  });
  const kubectl = async (args: readonly string[], input = ''): Promise<void> => {
    const { kubectl: program = 'kubectl' } = await loadTools(repoRoot);
    await execa(program, args, { input, env: { HOME: product.stateDir, KUBECONFIG: product.kubeconfigPath } });
  };
  const apply = async (object: object): Promise<void> => await kubectl(['apply', '--server-side', '-f', '-'], stringifyJson(object));
  const environment = async (spec: object): Promise<void> => {
    const groups = [{ name: 'oidc:team-a', role: 'viewer' }];
    await apply({ apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'metered' }, spec: { groups, ...spec } });
  };
  const metrics = async (query = ''): Promise<Answer> => await product.api('dev-a', `/environments/metered/metrics${query}`);
  const charts = async (query = ''): Promise<readonly unknown[]> => listAt((await metrics(query)).body, 'charts');
  const HEAP = { title: 'Memory', query: 'process_resident_memory_bytes', unit: 'Bytes', legend: '{{job}}' };

  before(async () => {
    const stringData = prometheus.credentials;
    await apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'prometheus', namespace: 'chandlery-system' }, stringData });
    const none = { title: 'Nothing', query: 'absent_metric{namespace="$namespace"}' };
    const wrong = { title: 'Mistaken', query: 'sum(' };
    const unknown = { title: 'Unknown', query: 'up{pod="$pod"}' };
    const memory = { ...HEAP, thresholds: [{ value: 1, severity: 'Critical' }] };
    await environment({ monitoring: monitoring([memory, none, wrong, unknown]) });
    await until(async () => (await metrics()).status === 200, 'dev-a sees the environment');
    await until(async () => listAt((await charts('?range=1h'))[0], 'series').length > 0, 'Prometheus has scraped', 60_000);
  });
  after(async () => {
    await kubectl(['delete', 'operators/metered', '--namespace=default', '--wait=false']);
    await kubectl(['delete', 'environments/metered', '--wait=false']);
  });

  it('are what its Prometheus answers, chart by chart; a query that fails says why', async () => {
    const [memory, none, wrong, unknown] = await charts('?range=1h');
    assert.equal(textAt(memory, 'series', 0, 'name'), 'chandlery');
    assert.ok(Number(listAt(memory, 'series', 0, 'points', 0)[1]) > 1_000_000);
    assert.deepEqual(listAt(none, 'series'), []);
    assert.match(textAt(wrong, 'fault') ?? '', /^prometheus: localhost:\d+: invalid parameter "query": .*parse error/);
    assert.match(textAt(unknown, 'fault') ?? '', /\$pod is not a variable; there are \$namespace, \$environment, \$interval/);
    assert.equal((await metrics('?range=2y')).status, 422);
  });

  it('are drawn for anybody who may see it, and for nobody else', async (t) => {
    const browser = await openBrowser();
    t.after(async () => await browser.close());
    const { page } = await signIn(browser, product.origin, 'dev-a', { javaScript: 'off' });
    await page.goto('/environments/metered');
    await page.getByRole('link', { name: 'Monitoring' }).click();
    await page.getByRole('link', { name: '1 hour' }).click();
    assert.match((await page.getByRole('region', { name: 'Memory' }).textContent()) ?? '', /Critical: above 1 B.*chandlery\s*\d+ MiB/s);
    assert.match(
      (await page
        .getByRole('img', { name: /^Memory: 1 series/ })
        .locator('path')
        .getAttribute('d')) ?? '',
      /^M[\d.]+ [\d.]+/,
    );
    assert.match((await page.getByRole('region', { name: 'Nothing' }).textContent()) ?? '', /returned no values in this range/);
    assert.equal((await product.api('dev-b', '/environments/metered/metrics')).status, 404);
  });

  it('come from nowhere that the egress policy closes, and without credentials by plain http', async () => {
    const faultOf = async (address: object): Promise<string> => {
      await environment({ monitoring: monitoring([HEAP], address) });
      return textAt((await charts())[0], 'fault') ?? '';
    };
    assert.match(await faultOf({ url: 'https://169.254.169.254/' }), /169\.254\.169\.254: the egress policy allows no .* metadata address/);
    assert.match(await faultOf({ url: 'http://localhost:9090' }), /credentials are sent by https only/);
    assert.match(
      await faultOf({ url: prometheus.url, secretRef: { name: 'other' } }),
      /Secret "chandlery-system\/other": it does not exist/,
    );
  });

  it('of an Operator are read with the Secret of its namespace, by anybody who may read the Operator', async () => {
    const metadata = { name: 'metered', namespace: 'default' };
    await apply({ apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name: 'prometheus' }, stringData: prometheus.credentials });
    const spec = { chartURL: 'https://charts.example.com/metered-1.0.0.tgz', suspend: true, monitoring: monitoring([HEAP]) };
    await apply({ apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec });
    const path = '/operators/default/metered/metrics';
    const answer = await product.api('admin', `${path}?range=1h`);
    assert.equal(textAt(listAt(answer.body, 'charts')[0], 'series', 0, 'name'), 'chandlery', stringifyJson(answer.body));
    assert.equal((await product.api('dev-a', path)).status, 403);
  });
});

/** Series by name: the labels that any of them has. */
type Samples = ReadonlyMap<string, ReadonlySet<string>>;

function samplesOf(text: string): Samples {
  const samples = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = samples.get(name) ?? new Set<string>();
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    samples.set(name, known);
  }
  return samples;
}

/** What a query of Prometheus asks for that no series has. */
function unknownIn(query: string, samples: Samples): readonly string[] {
  const unknown: string[] = [];
  const bare = query.replaceAll(/\[[^\]]*\]/g, ' ').replaceAll(/"[^"]*"/g, '""');
  const grouped = [...bare.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/[\s,]+/));
  const selectors = bare.replaceAll(/\b(?:by|on|without|ignoring)\s*\([^)]*\)/g, ' ');
  const known = new Set(TARGET_LABELS);
  for (const [, name = '', matchers = ''] of selectors.matchAll(/\b([a-z_][\w:]*)\b(?!\s*\()(?:\{([^}]*)\})?/g)) {
    if (QUERY_WORDS.has(name)) continue;
    const labels = samples.get(name);
    if (labels === undefined) unknown.push(`${name} in ${query}`);
    for (const label of labels ?? []) known.add(label);
    for (const [, label = ''] of matchers.matchAll(/([a-z_]+)\s*(?:=|!)/g)) {
      if (labels?.has(label) !== true && !TARGET_LABELS.includes(label)) unknown.push(`${name}{${label}} in ${query}`);
    }
  }
  return [...unknown, ...grouped.filter((label) => label !== '' && !known.has(label)).map((label) => `by ${label} in ${query}`)];
}

function alertsIn(manifests: readonly unknown[]): readonly unknown[] {
  return listAt(one(manifests, 'PrometheusRule'), 'spec', 'groups').flatMap((group) => listAt(group, 'rules'));
}

function panelQueries(manifests: readonly unknown[]): readonly string[] {
  const map = manifests.find((manifest) => textAt(manifest, 'metadata', 'name') === 'chandlery-dashboard');
  assert.equal(textAt(map, 'metadata', 'labels', 'grafana_dashboard'), '1');
  const dashboard: unknown = JSON.parse(textAt(map, 'data', 'chandlery.json') ?? '');
  return listAt(dashboard, 'panels').flatMap((panel) => listAt(panel, 'targets').map((target) => textAt(target, 'expr') ?? ''));
}

function one(manifests: readonly unknown[], kind: string): unknown {
  return manifests.find((manifest) => textAt(manifest, 'kind') === kind) ?? assert.fail(`no ${kind}`);
}

async function renderedWithAll(): Promise<readonly unknown[]> {
  const enabled = ['serviceMonitor', 'prometheusRule', 'dashboard'].map((part) => `monitoring.${part}.enabled=true`);
  return await rendered(...enabled, 'monitoring.prometheusRule.runbooks=https://docs.example.com/');
}

async function rendered(...values: readonly string[]): Promise<readonly unknown[]> {
  const { helm } = await loadTools(repoRoot);
  const all = ['publicUrl=https://apps.example.com', 'oidc.issuer=https://login.example.com', ...values];
  const args = ['template', 'chandlery', join(repoRoot, 'charts', 'chandlery'), ...all.flatMap((value) => ['--set', value])];
  return parseAllDocuments((await execa(helm, args)).stdout).map((document) => document.toJS() as unknown);
}

async function metricsText(): Promise<string> {
  return await (await fetch(product.metricsUrl)).text();
}
