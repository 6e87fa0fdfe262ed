// `npm run bench:operators [-- COUNT]`: what the controller costs while so many Operators (1,000) are in step.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrapCluster } from '../src/kube/bootstrap.ts';
import { createKube } from '../src/kube/kube.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { startChartServer } from './chart-server.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { countCalls } from './counted-cluster.ts';
import { countHelm } from './counted-helm.ts';
import { measure, printTable } from './measure-run.ts';
import { openCharts, startOperatorController } from './operator-controller.ts';
import { measureOperatorsPage } from './operators-page.ts';
import { benchCharts, CHARTS, createModels, multiply } from './seed-operators.ts';

const count = Number(process.argv[2] ?? 1_000);
const HOUR_MS = 3_600_000;
const signal = AbortSignal.timeout(20 * 60_000);

const tools = await loadTools(repoRoot);
const controlPlane = await startBenchControlPlane(tools, 'chandlery-bench-operators-');
// It goes with the control plane.
const folder = join(controlPlane.stateDir, 'bench');
await mkdir(folder);
const server = await startChartServer(benchCharts());
const { kubeconfigPath } = controlPlane;
const { kube, calls } = countCalls(createKube({ kubeconfigPath, userAgent: 'chandlery-bench' }));
const helm = await countHelm(tools.helm, folder);
const charts = await openCharts(folder, server.address);
const began = performance.now();
const elapsed = (): string => `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`;
const progress = (ready: number): void => {
  if (ready % 20 === 0) console.log(`${elapsed()} ${ready} are READY`);
};
let later = 0;
const input = { kube, kubeconfigPath, helm: helm.program, folder, charts, now: () => new Date(Date.now() + later) };

try {
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  console.log(`${count} Operators from ${CHARTS} charts of one repository; every tenth brings a kind.`);
  const first = await startOperatorController(input);
  await first.untilReady(await createModels(kube, signal), progress);
  await first.stop();
  console.log(
    `${2 * CHARTS} of them were installed by the reconciler and helm. The others are copies: an Operator of its own, a copy of Helm's record`,
  );
  console.log(
    `with name and labels of its own, and its own ConfigMap, Deployment and kind. No status was copied: the controller finds out.\n`,
  );
  progress(0);
  const keys = await multiply(kube, count, signal);
  const runs = { calls, helm, server };

  const found = await measure('first sight of the copies', runs, async () => {
    const controller = await startOperatorController(input);
    await controller.untilReady(count, progress);
    return controller;
  });
  await found.result.stop();
  const restart = await measure('a controller starts', runs, async () => {
    const controller = await startOperatorController(input);
    await controller.resync(keys);
    return controller;
  });
  console.log(`${elapsed()} at rest, for longer than what a repository has said is taken for granted`);
  // Longer than what a repository has said is taken for granted.
  const rest = await measure('65 seconds in which nothing happens', runs, () => sleep(65_000));
  later = HOUR_MS;
  const idle = await measure('idle resync, every interval over', runs, () => restart.result.resync(keys));
  const again = await measure('idle resync, intervals running', runs, () => restart.result.resync(keys));
  await restart.result.stop();
  console.log('');
  printTable([found, restart, rest, idle, again]);
  const good = idle.helm.count === 0 && idle.cpuSeconds < 1;
  const page = await measureOperatorsPage({ asActor: () => kube.asController() });
  const kib = page.bytes / 1_024;
  console.log(
    `\n${kib < 300 ? '✔' : '✖'} the first page of the list has ${kib.toFixed(0)} KiB (below 300); it takes ${page.ownMs.toFixed(0)} ms of CPU, and ${page.wholeMs.toFixed(0)} ms with the api-server`,
  );
  console.log(
    `${good ? '✔' : '✖'} an idle resync of ${count} Operators starts ${idle.helm.count} helm processes (0) and costs ${idle.cpuSeconds.toFixed(2)} CPU-seconds (below 1)`,
  );
} finally {
  server.close();
  await kube.close();
  await controlPlane.stop();
}
