import { compareCrds, versionsOf } from '../../domain/upgrade/crd-safety/compare-crds.ts';
import {
  removedVersions,
  instanceName,
  storedChecks,
  storedInRemovedVersions,
  type StoredCheck,
} from '../../domain/upgrade/crd-safety/stored-checks.ts';
import type { CrdFinding, CrdVerdict, InstanceFault } from '../../domain/upgrade/crd-safety/finding.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { newRules } from '../rules/check-rules.ts';
import { startStoredChecker, type StoredChecker } from './stored-checker.ts';

/** Few enough to fit into memory whatever they hold. */
const PAGE = 100;
const PAGE_MS = 10_000;
/** Reading all that is stored may take longer than the api-server keeps one state of it. */
const ATTEMPTS = 3;

export interface StoredInput {
  /** Reads as whoever may: the controller, or a person who asks what an upgrade would do. */
  readonly cluster: Pick<Cluster, 'pages'>;
  readonly live: KubeObject;
  readonly candidate: KubeObject;
  /** How many faults are named; all are counted. */
  readonly named: number;
  readonly look?: StoredVisitor;
  /** Milliseconds that the check of a page may take. */
  readonly pageMs?: number;
  readonly signal: AbortSignal;
}

/** Looks at stored instances while they are read. What was reported since the last `begin` is reported again when reading begins anew. */
export interface StoredVisitor {
  begin(check: StoredCheck): void;
  add(items: readonly KubeObject[]): void;
}

/**
 * What a new version of a CRD means, with every stored instance held against the schemas that it must fit and their new rules, page after page.
 *
 * @throws AppError of the reads, `Forbidden` among them; `Conflict` when reading takes too long again and again.
 */
export async function checkStoredInstances(input: StoredInput): Promise<CrdVerdict> {
  const { live, candidate } = input;
  const founds: Found[] = [];
  for (const check of storedChecks(live, candidate)) founds.push(await readAll(input, check));
  founds.push(await readManifests(input));
  const faulty = new Set(founds.flatMap((found) => [...found.faulty]));
  const faults = new Map(founds.flatMap((found) => found.faults.map((fault) => [fault.instance, fault])));
  const unchecked = new Set(founds.flatMap((found) => [...found.unchecked]));
  const compared = await withStored(input, compareCrds(live, candidate));
  return {
    crd: candidate.metadata.name,
    findings: [...compared, ...founds.flatMap(({ findings }) => findings)],
    faults: [...faults.values()].slice(0, input.named),
    faultCount: faulty.size,
    unchecked: [...unchecked].sort(),
  };
}

/** Where nothing is stored, nothing that is stored can be lost. */
async function withStored({ cluster, live, signal }: StoredInput, findings: readonly CrdFinding[]): Promise<readonly CrdFinding[]> {
  if (!findings.some(({ severity }) => severity === 'Incompatible')) return findings;
  for await (const { items } of pagesOf({ cluster, live, signal }, { content: 'metadata', size: 1 })) if (items.length > 0) return findings;
  return findings.map((finding) => (finding.severity === 'Incompatible' ? { ...finding, severity: 'Unsafe' } : finding));
}

/** Instances whose manifests are written in a version that goes. */
async function readManifests({ cluster, live, candidate, named, signal }: StoredInput): Promise<Found> {
  const gone = removedVersions(live, candidate);
  const faults: InstanceFault[] = [];
  if (gone.length > 0) {
    for await (const { items } of pagesOf({ cluster, live, signal }, { content: 'metadata', size: PAGE })) {
      faults.push(...storedInRemovedVersions(gone, items));
    }
  }
  return { findings: [], faults: faults.slice(0, named), faulty: new Set(faults.map(({ instance }) => instance)), unchecked: new Set() };
}

/** What is stored, in a version that is served now; none while the CRD is not served yet. */
async function* pagesOf(
  { cluster, live, signal }: Pick<StoredInput, 'cluster' | 'live' | 'signal'>,
  { content, size }: { readonly content: 'metadata' | 'whole'; readonly size: number },
): AsyncGenerator<{ readonly items: readonly KubeObject[] }> {
  const served = versionsOf(live).find((version) => version.served);
  if (served === undefined) return;
  const type = { group: textAt(live.spec, 'group') ?? '', version: served.name, resource: textAt(live.spec, 'names', 'plural') ?? '' };
  try {
    yield* cluster.pages(type, { content, size, signal });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
  }
}

/** What one check found; all that are faulty, and some of the faults. */
interface Found {
  /** That not all could be looked at. */
  readonly findings: readonly CrdFinding[];
  readonly faults: readonly InstanceFault[];
  readonly faulty: ReadonlySet<string>;
  readonly unchecked: ReadonlySet<string>;
}

async function readAll(input: StoredInput, check: StoredCheck): Promise<Found> {
  const checker = startStoredChecker({ ...check, rules: newRules(check.before, check.schema) }, input.pageMs ?? PAGE_MS);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await readOnce(input, { check, checker });
      } catch (error) {
        // The CRD is not served yet, so nothing is stored.
        if (isAppError(error, 'NotFound')) return { findings: [], faults: [], faulty: new Set(), unchecked: new Set() };
        // The pages ran out of time (410), so it begins anew.
        if (!isAppError(error, 'Conflict') || attempt === ATTEMPTS) throw error;
      }
    }
  } finally {
    await checker.close();
  }
}

interface Judge {
  readonly check: StoredCheck;
  readonly checker: StoredChecker;
}

async function readOnce({ cluster, live, named, look, pageMs, signal }: StoredInput, { check, checker }: Judge): Promise<Found> {
  const type = { group: textAt(live.spec, 'group') ?? '', version: check.read, resource: textAt(live.spec, 'names', 'plural') ?? '' };
  const findings: CrdFinding[] = [];
  const faults: InstanceFault[] = [];
  const [faulty, unchecked] = [new Set<string>(), new Set<string>()];
  look?.begin(check);
  for await (const { items } of cluster.pages(type, { content: 'whole', size: PAGE, signal })) {
    look?.add(items);
    const answer = await checker.check(items);
    if (answer === undefined) {
      findings[0] = tooHeavy(check, pageMs);
      continue;
    }
    const found = new Map(answer.faults.map((fault) => [fault.instance, fault]));
    for (const { index, path, message } of answer.rules.broken) {
      const object = items[index];
      const instance = object === undefined ? '' : instanceName(object);
      if (!found.has(instance)) found.set(instance, { instance, path: `${check.prefix}${path}`, message });
    }
    for (const rule of answer.rules.unchecked) unchecked.add(rule);
    for (const instance of found.keys()) faulty.add(instance);
    faults.push(...[...found.values()].slice(0, named - faults.length));
  }
  return { findings, faults, faulty, unchecked };
}

function tooHeavy({ version }: StoredCheck, pageMs = PAGE_MS): CrdFinding {
  const message = `existing instances could not be validated against this schema within ${pageMs / 1000} s, so their validity is unknown`;
  return { path: version, message, severity: 'Incompatible' };
}
