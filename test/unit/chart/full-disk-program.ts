/** Run with a folder on a small disk: fetches a small chart, then what does not fit, then two that fit one at a time, and tells as JSON what came of it. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { chartFiles, packChart } from '../../support/charts.ts';
import { crd } from '../../support/sample-crds.ts';

const [cacheDir = ''] = process.argv.slice(2);
const PREFIX = 'https://charts.example.com/';

const crdText = stringifyJson(crd({}));
const answers: Readonly<Record<string, string | Buffer>> = {
  '/small.tgz': await packChart('small', chartFiles('small', '1.0.0')),
  '/large.tgz': await packChart('large', chartFiles('large', '1.0.0', { 'files/noise': noise(3_000_000) })),
  // Either of them fits, and not both.
  '/first.tgz': await packChart('first', chartFiles('first', '1.0.0', { 'files/noise': noise(1_100_000) })),
  '/second.tgz': await packChart('second', chartFiles('second', '1.0.0', { 'files/noise': noise(1_100_000) })),
  // It fits beside one of them, and the copy of it for Helm does not.
  '/copied.tgz': await packChart('copied', chartFiles('copied', '1.0.0', { 'files/noise': noise(600_000), 'crds/a.yaml': crdText })),
  // The text fits, and its parsed form beside it does not.
  '/index.yaml': `entries:\n  demo:\n${Array.from({ length: 9000 }, (_, patch) => `  - {version: 1.0.${patch}, urls: [${'demo'.repeat(20)}.tgz]}\n`).join('')}`,
};
const server = createServer((request, response) => response.end(answers[request.url ?? ''] ?? ''));
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const library = await createChartLibrary({ cacheDir, roots: {}, mirrors: [{ prefix: PREFIX, target }], allowEgress: [] });
const fetchChart = (name: string) => library.fetch({ kind: 'url', url: `${PREFIX}${name}.tgz` }, AbortSignal.timeout(20_000));

const small = await fetchChart('small');
const rejections = [
  await rejectionOf(fetchChart('large')),
  await rejectionOf(library.versions({ kind: 'repository', repoURL: PREFIX, name: 'demo', version: '' }, AbortSignal.timeout(20_000))),
];
const kept = (await library.contents(small.digest))?.metadata.name;
const files = (await readdir(cacheDir)).map((name) => name.replace(/^sha256-\w+/, ''));
const again = (await rejectionOf(fetchChart('small'))).code;
const inTurn = [(await rejectionOf(fetchChart('first'))).code, (await rejectionOf(fetchChart('second'))).code];
const { path } = await fetchChart('copied');
inTurn.push((await rejectionOf(library.forRelease(path, () => Promise.resolve(), AbortSignal.timeout(20_000)))).code);
console.log(JSON.stringify({ rejections, kept, files, again, inTurn }));
server.close();

/** Text that packs to about three quarters of its length. */
function noise(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

async function rejectionOf(task: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await task;
    return { code: 'none', message: '' };
  } catch (error) {
    return error instanceof AppError ? { code: error.code, message: error.message } : { code: String(error), message: '' };
  }
}
