import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { childrenWithin, watchMemory } from '../../../src/helm/bounds.ts';
import { createHelm, type Helm } from '../../../src/helm/helm.ts';
import { chartFiles, packChart, temporaryFolder, writeFiles } from '../../support/charts.ts';

const MEBIBYTES_64 = 64 * 1024 * 1024;
const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
/** What charts do to whoever renders them, and what is said of them; `test/attacks/charts.ts` has more, on the running product. */
const HOSTILE: readonly (readonly [does: string, template: string, says: RegExp])[] = [
  [
    'renders 17 MiB',
    `{{ range until 175 }}\n---\n${OBJECT}data: {a: "{{ repeat 100000 "a" }}"}{{ end }}`,
    /renders more than 16 MiB of objects/,
  ],
  [
    'hides 10,001 objects in a list',
    `kind: List\napiVersion: v1\nmetadata: {}\nitems:\n{{ range until 10001 }}- {apiVersion: v1, kind: A, metadata: {name: a}}\n{{ end }}`,
    /renders 10,001 objects, more than the 10,000 of one release/,
  ],
  [
    'expands aliases',
    `${OBJECT}a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]`,
    /alias/,
  ],
];

describe('the bounds of helm', () => {
  const helmIn = async (t: TestContext, program?: string): Promise<{ helm: Helm; folder: string }> => {
    const folder = await temporaryFolder(t);
    const log = { debug: () => undefined };
    const helm = await createHelm({ program: program ?? (await loadTools(ROOT)).helm, homeDir: join(folder, 'home'), maxChildren: 2, log });
    return { helm, folder };
  };
  const release = { release: 'demo', namespace: 'default', values: {}, kubeVersion: 'v1.36.3', apiVersions: [], isUpgrade: false };

  for (const [does, template, says] of HOSTILE) {
    it(`stops a chart that ${does}, with a sentence`, async (t) => {
      const { helm, folder } = await helmIn(t);
      await writeFiles(folder, { 'chart.tgz': await packChart('chart', chartFiles('chart', '1.0.0', { 'templates/a.yaml': template })) });
      const rendered = helm.render({ ...release, chartPath: join(folder, 'chart.tgz') }, AbortSignal.timeout(100_000));
      await assert.rejects(rendered, (error: Error & { code?: string }) => {
        assert.equal(error.code, 'HelmFailed');
        assert.match(error.message, says);
        assert.ok(error.message.length < 2000, 'a trace is no sentence');
        return true;
      });
    });
  }

  const program = async (t: TestContext, script: string): Promise<string> => {
    const file = join(await temporaryFolder(t), 'helm');
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o700);
    return file;
  };

  it('finds a process that holds more than it may where the operating system sets no limit', async (t) => {
    const child = spawn(process.execPath, ['-e', `globalThis.held = Buffer.alloc(${2 * MEBIBYTES_64}, 1); setTimeout(() => 0, 60_000)`]);
    t.after(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const watch = watchMemory({ pid: child.pid ?? 0, maxBytes: 2 * MEBIBYTES_64, onExceeded: () => child.kill('SIGKILL') });
    t.after(() => watch.stop());
    assert.equal((await ended)[1], 'SIGKILL');
    assert.ok(watch.exceeded());
  });

  it('limits the processor time, the size of files and core files', async (t) => {
    const file = await program(t, `echo "cpu $(ulimit -t), files $(ulimit -f), core $(ulimit -c), data $(ulimit -d)" >&2; exit 1`);
    const { helm } = await helmIn(t, file);
    const asked = helm.history({ release: 'a', namespace: 'b' }, AbortSignal.timeout(30_000));
    await assert.rejects(asked, { message: /cpu 120, files 131072, core 0, data 524288$/ });
  });

  it('runs as many at once as there is memory for, but one', () => {
    const GIBIBYTE = 1024 ** 3;
    assert.deepEqual(
      [childrenWithin(8, GIBIBYTE / 2), childrenWithin(8, GIBIBYTE), childrenWithin(8, 2 * GIBIBYTE), childrenWithin(8, 64 * GIBIBYTE)],
      [1, 1, 3, 8],
    );
  });
});
