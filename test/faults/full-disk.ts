import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { operatorChart } from '../support/operator-charts.ts';
import { lifeOf, untilDone } from './acts.ts';
import type { Arena } from './arena.ts';
import { faultsOfInstalled, keep } from './invariants.ts';
import type { Report } from './report.ts';
import { configOf, find, instanceRef, statusOf, VERSIONS, type Subject, type Version } from './subject.ts';

/**
 * The file system of the cache. The second chart, of 530 KiB when it is packed, fits when the filler is gone, and not before, even if the first one makes room.
 * Helm gets a copy of it without CRDs, for which there must be room, too.
 */
const SIZE_KIB = 1_112;
const FILLER_KIB = 612;
const CHART_KIB: Readonly<Record<Version, number>> = { [VERSIONS.first]: 100, [VERSIONS.second]: 700, [VERSIONS.broken]: 1 };
const REPORTED_WITHIN_S = 120;
const CONVERGED_WITHIN_S = 240;

/** Fills the disk of the cache before an upgrade: the Operator says so, keeps what is installed, and upgrades when there is room. */
export async function runFullDisk(arena: Arena, report: Report): Promise<void> {
  const { kube, chartsDir } = arena;
  const subject: Subject = { namespace: await arena.namespace('disk'), name: 'disk' };
  const cacheDir = join(chartsDir, '..', 'small-disk');
  await mkdir(cacheDir);
  const inside = ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=${SIZE_KIB}k tmpfs ${cacheDir} && exec "$@"`, 'sh'];
  if (!canMount(cacheDir)) return report.note('disk: not run: this machine does not let us mount a small file system (unshare -rm)');
  for (const version of Object.values(VERSIONS)) {
    await writeFile(join(chartsDir, `${subject.name}-${version}.tgz`), await largeChart(subject, version));
  }
  const worker = await arena.worker(subject.namespace, { cacheDir }, inside);
  const filler = `/proc/${worker.pid}/root${cacheDir}/filler`;
  const [install, upgrade] = lifeOf(kube, subject, 'empty');
  if (install === undefined || upgrade === undefined) throw new Error('a life has four acts');
  await install.begin();
  const installed = await untilDone(install, CONVERGED_WITHIN_S);
  await install.end();
  const keepsake = await keep(kube, subject, await find(kube, instanceRef(subject)));
  await writeFile(filler, Buffer.alloc(FILLER_KIB * 1_024));
  await upgrade.begin();
  const reported = await reportOf(arena, subject);
  const kept = await faultsOfInstalled(kube, subject, { version: VERSIONS.first, keepsake, outcome: 'Ready' });
  const lost = kept.filter((fault) => /definition|instance|ConfigMap|Deployment|revision/.test(fault));
  await rm(filler);
  const end = await untilDone(upgrade, CONVERGED_WITHIN_S);
  const faults = [...installed.faults, ...reported, ...lost, ...end.faults];
  await report.add(upgrade, { run: 'disk', moment: 'full', restarts: 0, seconds: end.seconds, faults });
  await worker.kill('worker');
}

function canMount(dir: string): boolean {
  return spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', '-o', `size=${SIZE_KIB}k`, 'tmpfs', dir]).status === 0;
}

/** With bytes that cannot be packed any smaller. */
async function largeChart({ name }: Subject, version: Version): Promise<Buffer> {
  const ballast = randomBytes(CHART_KIB[version] * 768).toString('base64');
  return packChart(name, { ...operatorChart(name, version), 'templates/config.yaml': configOf(version), 'ballast.txt': ballast });
}

async function reportOf({ kube }: Arena, subject: Subject): Promise<string[]> {
  let said = '';
  const reported = async (): Promise<boolean> => {
    const { conditions } = await statusOf(kube, subject);
    const found = findCondition(conditions, 'Fetched');
    said = `Fetched=${found?.status ?? ''} ${found?.reason ?? ''}: ${found?.message ?? ''}`;
    return found?.status === 'False' && /space|room|full|quota/i.test(found.message);
  };
  try {
    await eventually(reported, 'it says that the disk is full', REPORTED_WITHIN_S);
    return [];
  } catch {
    return [`no condition says that there is no room; ${said}`];
  }
}
