import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import { createHelm } from '../../../src/helm/helm.ts';
import { chartFiles, packChart, temporaryFolder } from '../../support/charts.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const { signal } = new AbortController();

/** Every function of templates that prints what it is given, as it is or so that it can be read again. */
const PRINTS = [
  '.Values.auth.pw',
  '.Values.auth.pw | quote',
  '.Values.auth.pw | squote',
  '.Values.auth | toJson',
  '.Values.auth | toPrettyJson',
  '.Values.auth | toRawJson',
  '.Values.auth | toYaml',
  '.Values.auth | toToml',
  '.Values.auth | toJson | toJson',
  '.Values.auth.pw | b64enc',
  '.Values.auth.pw | b64enc | b64enc',
  'printf "user:%s@host" .Values.auth.pw | b64enc',
  '.Values.auth.pw | b32enc',
  '.Values.auth.pw | urlquery',
  '.Values.auth.pw | html',
  '.Values.auth.pw | js',
  '.Values.auth.pw | indent 6',
  '.Values.auth.pw | nindent 6',
  '.Values.auth.pw | upper',
  '.Values.auth.pw | lower',
  '.Values.auth.pw | title',
  '.Values.auth.pw | swapcase',
  '.Values.auth.pw | nospace',
  '.Values.auth.pw | kebabcase',
  '.Values.auth.pw | trim',
  '.Values.auth.pw | trunc 12',
  '.Values.auth.pw | trunc -12',
  'substr 2 14 .Values.auth.pw',
  'abbrev 15 .Values.auth.pw',
  'wrap 7 .Values.auth.pw',
  'wrapWith 5 "\\n" .Values.auth.pw',
  'replace "a" "-" .Values.auth.pw',
  'regexReplaceAll "(.)" .Values.auth.pw "${1} "',
  'splitList "" .Values.auth.pw',
  'printf "%q" .Values.auth.pw',
  'printf "%+q" .Values.auth.pw',
  'printf "%x" .Values.auth.pw',
  'printf "% x" .Values.auth.pw',
  'printf "%v" .Values.auth',
  'printf "%#v" .Values.auth',
  'cat "x" .Values.auth.pw "y"',
  'repeat 2 .Values.auth.pw',
  'list .Values.auth.pw | toString',
  'dict "a" .Values.auth.pw',
];
/** Ways from a template into an error. */
const ERRORS: readonly ((print: string) => string)[] = [
  (print) => `{{ fail (printf "%v" (${print})) }}`,
  (print) => `{{ required (printf "set it, not %v" (${print})) .Values.nothing }}`,
  (print) => `{{ include (printf "%v" (${print})) . }}`,
  (print) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: [{{ ${print} }}\n`,
  (print) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n{{ printf "%v" (${print}) }}\n`,
];

test('no error of a chart shows a secret, however its templates print it', { timeout: 300_000 }, async (t) => {
  const secrets = fc.sample(
    fc
      .tuple(
        fc.constantFrom('', '<&>', '"quoted" ', 'ä€😀', "it's ", 'line\n'),
        fc.string({
          unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'.split('')),
          minLength: 16,
          maxLength: 24,
        }),
        fc.constantFrom('', '>', '\n end', '%/+', '\\'),
      )
      .map((parts) => parts.join('')),
    PRINTS.length,
  );
  const render = await bench(t);
  for (const [index, print] of PRINTS.entries()) {
    const secret = secrets[index] ?? '';
    const way = ERRORS[index % ERRORS.length] ?? ERRORS[0];
    const message = await render(way?.(print) ?? '', secret);
    for (const trace of tracesOf(secret)) {
      assert.ok(!lettersOf(message).includes(trace), `${print} in ${way?.('…')} shows ${JSON.stringify(secret)}: ${message}`);
    }
  }
});

/** Nine letters or digits in a row of what the secret is, in plain, in base64 or in hexadecimal. */
function tracesOf(secret: string): string[] {
  const spelled = [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')].map(lettersOf);
  return spelled.flatMap((text) => Array.from({ length: Math.max(0, text.length - 9) }, (_, at) => text.slice(at, at + 9)));
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

async function bench(t: TestContext): Promise<(template: string, secret: string) => Promise<string>> {
  const folder = await temporaryFolder(t);
  const { helm: program } = await loadTools(ROOT);
  const helm = await createHelm({ program, homeDir: join(folder, 'home'), maxChildren: 2, log: { debug: () => undefined } });
  return async (template, secret) => {
    const chartPath = join(folder, 'chart.tgz');
    await writeFile(chartPath, await packChart('chart', chartFiles('chart', '1.0.0', { 'templates/a.yaml': template })));
    const place = { release: 'demo', namespace: 'default', kubeVersion: 'v1.34.0', apiVersions: [], isUpgrade: false };
    try {
      await helm.render({ ...place, chartPath, values: { auth: { pw: secret } }, secrets: [secret] }, signal);
      return '';
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'HelmFailed', String(error));
      return error.message;
    }
  };
}
