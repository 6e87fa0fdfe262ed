import { AppError } from '../domain/core/errors.ts';
import { RELEASE_STATUSES, type ReleaseInfo, type ReleaseStatus } from '../domain/operator/release.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The address of a release. */
export interface ReleaseRef {
  readonly release: string;
  readonly namespace: string;
}

/** Labels that Helm's storage writes for itself. */
const OWN_LABELS = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt']);

/** Reads `helm history -o json`; newest revision first. Throws AppError `HelmFailed` when it is something else. */
export function parseHistory(stdout: string, ref: ReleaseRef): ReleaseInfo[] {
  const revisions = parseJson(stdout, 'history');
  if (!Array.isArray(revisions)) throw unreadable('history');
  return revisions
    .map((entry) => fieldsOf(entry))
    .map((entry) => ({
      name: ref.release,
      namespace: ref.namespace,
      revision: Number(entry['revision']),
      status: statusOf(entry['status']),
      chart: textOf(entry['chart']),
      appVersion: textOf(entry['app_version']),
      updated: timeOf(entry['updated']),
      description: textOf(entry['description']),
    }))
    .sort((a, b) => b.revision - a.revision);
}

/** Reads the release that `helm install -o json` and `helm upgrade -o json` print. */
export function parseRelease(stdout: string, labels: Readonly<Record<string, string>>): ReleaseInfo {
  const release = fieldsOf(parseJson(stdout, 'release'));
  const info = fieldsOf(release['info']);
  const chart = fieldsOf(fieldsOf(release['chart'])['metadata']);
  return {
    name: textOf(release['name']),
    namespace: textOf(release['namespace']),
    revision: Number(release['version']),
    status: statusOf(info['status']),
    chart: `${textOf(chart['name'])}-${textOf(chart['version'])}`,
    appVersion: textOf(chart['appVersion']),
    updated: timeOf(info['last_deployed']),
    description: textOf(info['description']),
    labels,
  };
}

/** One test hook of a release. */
export interface TestRun {
  /** `Job smoke` */
  readonly name: string;
  /** Helm's word for how the last run ended: `Succeeded`, `Failed`, `Running`; empty when there was none. */
  readonly phase: string;
  /** RFC 3339; empty when there was no run. */
  readonly startedAt: string;
}

/** Reads the test hooks out of `helm status -o json`. */
export function parseTests(stdout: string): readonly TestRun[] {
  const { hooks } = fieldsOf(parseJson(stdout, 'release'));
  if (!Array.isArray(hooks)) return [];
  return hooks
    .map((hook) => fieldsOf(hook))
    .filter(({ events }) => Array.isArray(events) && events.includes('test'))
    .map((hook) => {
      const run = fieldsOf(hook['last_run']);
      const name = `${textOf(hook['kind'])} ${textOf(hook['name'])}`;
      return { name, phase: textOf(run['phase']), startedAt: timeOf(run['started_at']) };
    });
}

/** Reads the labels that people gave the release out of `helm get metadata -o json`. */
export function parseLabels(stdout: string): Record<string, string> {
  const labels = fieldsOf(fieldsOf(parseJson(stdout, 'metadata'))['labels']);
  const given = Object.entries(labels).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !OWN_LABELS.has(entry[0]),
  );
  return Object.fromEntries(given.sort(([a], [b]) => a.localeCompare(b)));
}

function parseJson(stdout: string, what: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw unreadable(what);
  }
}

function unreadable(what: string): AppError {
  return new AppError('HelmFailed', `helm: the ${what} it printed cannot be parsed; Chandlery needs helm 4`);
}

function statusOf(value: unknown): ReleaseStatus {
  return RELEASE_STATUSES.find((status) => status === value) ?? 'unknown';
}

function timeOf(value: unknown): string {
  const time = new Date(textOf(value));
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
