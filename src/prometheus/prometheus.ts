import { getCACertificates } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher } from 'undici';
import type { ChartCredentials } from '../domain/chart/chart-access.ts';
import { AppError } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { isObject, listAt, objectAt, textAt } from '../domain/core/read.ts';
import type { MetricSeries, QueryRange, TimeRange } from '../domain/monitoring/metrics.ts';
import type { Monitoring } from '../domain/monitoring/monitoring-field.ts';
import { askJson, type JsonAnswer, type JsonBounds, MAX_FAULT } from '../egress/ask-json.ts';
import { createEgressPolicy, type EgressPolicy, guardedConnector } from '../egress/egress-policy.ts';

/** A Prometheus, with the credentials for it. */
export interface PrometheusAddress {
  readonly prometheus: Monitoring['prometheus'];
  readonly credentials?: Pick<ChartCredentials, 'login' | 'authorities' | 'identity' | 'revision'>;
}

export interface PrometheusOptions {
  /** Ranges that the admin opens, in CIDR notation. */
  readonly allowEgress: readonly string[];
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
}

/** Where Services have their addresses; loopback, link-local and metadata addresses stay closed for them as well. */
const CLUSTER_RANGES = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
const CONNECT_MS = 5_000;
const TOTAL_MS = 10_000;
/** Of its own series Prometheus is asked for no more. */
const MAX_SERIES = 200;
const REMEMBERED = { max: 500, ttl: 15_000 };
const BOUNDS: JsonBounds = {
  totalMs: TOTAL_MS,
  maxBytes: 2 * 1024 * 1024,
  smaller: 'aggregate the query, for example with sum by (…)',
  unavailable,
};

interface Asked {
  readonly url: URL;
  readonly dispatcher: Dispatcher;
  readonly credentials: PrometheusAddress['credentials'];
}

/**
 * Asks Prometheus by its HTTP API (`/api/v1/query_range`). Answers are remembered for 15 seconds, so that many who look at one page ask once. Redirects are
 * not followed, and the egress policy of charts holds; a Service of the cluster may have a private address.
 *
 * @returns what connects to one Prometheus. Its calls throw AppError `MonitoringUnavailable`.
 */
export function createPrometheus({ allowEgress, certificateAuthorities }: PrometheusOptions): (address: PrometheusAddress) => QueryRange {
  const policies = {
    url: createEgressPolicy(allowEgress),
    service: createEgressPolicy([...allowEgress, ...CLUSTER_RANGES]),
  };
  const answers = new LRUCache<string, Promise<readonly MetricSeries[]>>(REMEMBERED);
  return (address) => {
    const { prometheus, credentials } = address;
    const url = addressOf(address);
    const policy = prometheus.service === undefined ? policies.url : policies.service;
    return async (query, range) => {
      const key = stringifyJson([url.href, credentials?.revision, query, range]);
      const known = answers.get(key);
      if (known !== undefined) return await known;
      const agent = agentOf({ policy, credentials, certificateAuthorities });
      const answer = ask({ url, dispatcher: agent, credentials }, query, range).finally(() => void agent.destroy());
      answers.set(key, answer);
      // What failed is asked again.
      answer.catch(() => answers.delete(key));
      return await answer;
    };
  };
}

function addressOf({ prometheus, credentials }: PrometheusAddress): URL {
  const { service } = prometheus;
  const base = service === undefined ? prometheus.url : `${service.scheme}://${service.name}.${service.namespace}.svc:${service.port}`;
  const url = URL.parse(base ?? '');
  if (url === null) throw unavailable(`${JSON.stringify(base)} is not an address`);
  if (url.protocol === 'http:' && service === undefined && credentials?.login !== undefined)
    throw unavailable(`${url.origin}: credentials are sent by https only; use an https address`);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/query_range`;
  url.search = '';
  url.hash = '';
  return url;
}

interface AgentInput extends Pick<PrometheusOptions, 'certificateAuthorities'> {
  readonly policy: EgressPolicy;
  readonly credentials: PrometheusAddress['credentials'];
}

function agentOf({ policy, credentials, certificateAuthorities }: AgentInput): Agent {
  const authorities = [...certificateAuthorities, ...(credentials?.authorities ?? [])];
  const { identity } = credentials ?? {};
  const options = {
    timeout: CONNECT_MS,
    allowH2: false,
    ...(authorities.length > 0 ? { ca: [...getCACertificates('default'), ...authorities] } : {}),
    ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key.reveal() }),
  };
  return new Agent({ connect: guardedConnector({ policy, deny: unavailable, options }), headersTimeout: TOTAL_MS, bodyTimeout: TOTAL_MS });
}

async function ask({ url, dispatcher, credentials }: Asked, query: string, range: TimeRange): Promise<readonly MetricSeries[]> {
  const { start, end, step } = range;
  const body = new URLSearchParams({
    query,
    start: String(start),
    end: String(end),
    step: String(step),
    timeout: `${TOTAL_MS / 1000}s`,
    limit: String(MAX_SERIES),
  });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...(credentials?.login === undefined ? {} : { authorization: credentials.login.authorization.reveal() }),
  };
  return seriesIn(url, await askJson(url, { method: 'POST', dispatcher, headers, body: body.toString() }, BOUNDS));
}

function seriesIn({ host }: URL, { status, json: answer }: JsonAnswer): readonly MetricSeries[] {
  if (status >= 300 && status < 400) throw unavailable(`${host}: answered ${status}; redirects are not followed, use the last address`);
  if (status === 401 || status === 403)
    throw unavailable(`${host}: answered ${status}; check the credentials in the Secret that secretRef names`);
  if (textAt(answer, 'status') !== 'success') throw unavailable(`${host}: ${faultIn(answer) ?? `answered ${status}; check the address`}`);
  if (textAt(answer, 'data', 'resultType') !== 'matrix') throw unavailable(`${host}: the query returns no series over time`);
  return listAt(answer, 'data', 'result').map((series) => ({
    labels: Object.fromEntries(Object.entries(objectAt(series, 'metric')).map(([name, value]) => [name, String(value)])),
    points: listAt(series, 'values').flatMap(pointIn),
  }));
}

/** What Prometheus says of a query that it rejects. */
function faultIn(answer: unknown): string | undefined {
  const error = isObject(answer) ? textAt(answer, 'error') : undefined;
  return error === undefined ? undefined : error.slice(0, MAX_FAULT);
}

function pointIn(point: unknown): (readonly [number, number])[] {
  const [time, value] = Array.isArray(point) ? point : [];
  const [seconds, figure] = [Number(time), Number(value)];
  return Number.isFinite(seconds) && Number.isFinite(figure) ? [[seconds, figure]] : [];
}

function unavailable(why: string): AppError {
  return new AppError('MonitoringUnavailable', `prometheus: ${why}`);
}
