import { readFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { textAt } from '../../src/domain/core/read.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { LEASE_NAME } from '../../src/compose/leader/lead-controllers.ts';
import { keyOf } from '../../src/domain/kubernetes/resource.ts';
import {
  ADMISSION_POLICY,
  ADMISSION_POLICY_BINDING,
  APP_DEFINITION,
  APP_REVISION,
  CATALOG_SOURCE,
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  CONFIG_MAP,
  CRD,
  DEPLOYMENT,
  ENVIRONMENT,
  EVENT,
  type KnownType,
  LEASE,
  LIMIT_RANGE,
  NAMESPACE,
  NETWORK_POLICY,
  OPERATOR,
  RESOURCE_QUOTA,
  ROLE,
  ROLE_BINDING,
  SECRET,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { elapse } from '../support/elapse.ts';
import { freePort } from '../support/free-port.ts';
import { openKube } from '../support/open-kube.ts';
import { createReplica } from './replica-process.ts';

// `npm run test:replicas -- at-rest --minutes N`: three controllers on one cluster with the example catalogue. Once everything is installed, no object may change for N minutes but the one
// Lease. The audit log of the api-server tells how many requests to write there were: self-healing applies everything again every ten minutes, which changes nothing.

const CONTROLLERS = 3;
/** So long without a write is rest. */
const QUIET_MS = 60_000;
const QUIET_WITHIN_MS = 900_000;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

const TYPES: readonly KnownType[] = [
  CRD,
  ADMISSION_POLICY,
  ADMISSION_POLICY_BINDING,
  CATALOG_SOURCE,
  OPERATOR,
  APP_DEFINITION,
  APP_REVISION,
  ENVIRONMENT,
  NAMESPACE,
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
  RESOURCE_QUOTA,
  LIMIT_RANGE,
  NETWORK_POLICY,
  SECRET,
  CONFIG_MAP,
  DEPLOYMENT,
  EVENT,
];

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== 'at-rest'),
  options: { minutes: { type: 'string', default: '10' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  process.stdout.write('usage: npm run test:replicas -- at-rest [--minutes N]\n');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
process.exit(await countWrites(minutes * 60_000));

async function countWrites(during: number): Promise<number> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-at-rest-'));
  const cluster = await startThrowawayCluster(await loadTools(repoRoot));
  const kube = openKube(cluster.kubeconfigPath, { userAgent: 'at-rest' });
  const replicas = await Promise.all(
    Array.from({ length: CONTROLLERS }, async (_, index) => {
      const place = ['--kubeconfig', cluster.kubeconfigPath, '--installation', 'rest', '--yes', '--catalog', join(repoRoot, 'catalog')];
      const options = [...place, '--role', 'controller', '--state', join(folder, `controller-${index}`)];
      const logFile = join(folder, `controller-${index}.log`);
      return createReplica({ name: `controller-${index}`, port: await freePort(), options, logFile });
    }),
  );
  try {
    // One installs what all need.
    for (const replica of replicas) await replica.start();
    for (const replica of replicas) await replica.ready();
    const since = await untilQuiet(cluster.auditLogPath);
    const before = await versionsOf(kube);
    await elapse(during);
    const after = await versionsOf(kube);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).sort();
    const writes = await writesOf(cluster.auditLogPath, since);
    const renewals = writes.filter(isRenewal);
    const others = writes.filter((write) => !isRenewal(write));
    const { items } = await kube.asController().list(LEASE, { namespace: OURS.systemNamespace });
    const holders = items.map((lease) => `${lease.metadata.name} held by ${textAt(lease.spec, 'holderIdentity') ?? 'nobody'}`);
    process.stdout.write(
      `${CONTROLLERS} controllers, ${during / 60_000} minutes: ${renewals.length} renewals of the Lease, ${before.size} objects, ${changed.length} changed, ${others.length} other requests to write\n`,
    );
    process.stdout.write(`${holders.join('\n')}\n`);
    for (const key of changed) process.stdout.write(`  changed: ${key}\n`);
    for (const [write, count] of countsOf(others)) process.stdout.write(`  ${count} x ${write}\n`);
    return changed.length === 0 && renewals.length > 0 && replicas.every((replica) => replica.isRunning()) ? 0 : 1;
  } finally {
    for (const replica of replicas) await replica.kill();
    await kube.close();
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The resourceVersion of every object that the controllers may have written. */
async function versionsOf(kube: Kube): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const type of TYPES) {
    const { items } = await kube.asController().listMetadata(type);
    for (const object of items) versions.set(`${type.kind} ${keyOf(object)}`, object.metadata.resourceVersion ?? '');
  }
  return versions;
}

/** @returns how many bytes the audit log had when nothing but Leases had been written for a minute. */
async function untilQuiet(auditLog: string): Promise<number> {
  const until = performance.now() + QUIET_WITHIN_MS;
  for (let before = 0; performance.now() < until;) {
    const { length } = await readFile(auditLog);
    const writes = before === 0 ? ['the first look'] : await writesOf(auditLog, before);
    if (writes.every(isRenewal)) return length;
    before = length;
    await elapse(QUIET_MS);
  }
  throw new Error(
    `no minute without a write within ${QUIET_WITHIN_MS / 60_000} minutes: ${(await writesOf(auditLog, 0)).slice(-10).join(', ')}`,
  );
}

/** `patch user-agent chandlery.dev/environments` for each write of the controllers after so many bytes of the audit log; dry runs and reviews write nothing. */
async function writesOf(auditLog: string, since: number): Promise<readonly string[]> {
  const text = (await readFile(auditLog)).subarray(since).toString('utf8');
  const events = text.split('\n').flatMap((line): unknown[] => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []));
  return events.filter(isWrite).map((event) => {
    const group = textAt(event, 'objectRef', 'apiGroup');
    const resource = `${textAt(event, 'objectRef', 'name') ?? ''} ${group ?? ''}/${textAt(event, 'objectRef', 'resource') ?? ''}`;
    return `${textAt(event, 'verb') ?? ''} ${textAt(event, 'objectRef', 'subresource') ?? ''} ${resource}`;
  });
}

function isRenewal(write: string): boolean {
  return write.endsWith(` ${LEASE_NAME} coordination.k8s.io/leases`);
}

function isWrite(event: unknown): boolean {
  const agent = textAt(event, 'userAgent') ?? '';
  const isOurs = (agent.startsWith('chandlery') && agent !== 'chandlery/embedded') || agent.toLowerCase().startsWith('helm');
  const group = textAt(event, 'objectRef', 'apiGroup') ?? '';
  const isReview = group === 'authorization.k8s.io' || group === 'authentication.k8s.io';
  return isOurs && WRITES.includes(textAt(event, 'verb') ?? '') && !isReview && !(textAt(event, 'requestURI') ?? '').includes('dryRun=All');
}

function countsOf(writes: readonly string[]): readonly (readonly [string, number])[] {
  return [...Map.groupBy(writes, (write) => write)].map(([write, all]) => [write, all.length] as const);
}
