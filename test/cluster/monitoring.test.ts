import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { startProduct, until, type Product } from '../support/product.ts';

/** What Prometheus adds when it scrapes. */
const TARGET_LABELS = ['namespace', 'job', 'instance', 'pod', 'service'];
const QUERY_WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

let product: Product;
let metricsPort: number;

before(async () => {
  metricsPort = await freePort();
  product = await startProduct(['--metrics-port', String(metricsPort)]);
  const isReady = async (): Promise<boolean> => (await metricsText()).includes('chandlery_operators{status="READY"} 2');
  await until(isReady, 'the Operators of the catalogue are Ready', 120_000);
  await product.api('admin', '/me');
});
after(async () => await product.stop());

describe('Monitoring', () => {
  it('reads the metrics on a port of their own, and not on that of the pages', async () => {
    assert.equal((await fetch(`${product.origin}/metrics`)).status, 404);
    assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/`)).status, 404);
    assert.equal((await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: 'POST' })).status, 404);
    assert.match(await metricsText(), /^chandlery_build_info\{/m);
  });

  it('renders nothing for the Prometheus operator and Grafana unless told', async () => {
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
  return await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
