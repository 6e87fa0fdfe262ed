import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { isObject, objectAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { parseAuthenticationConfiguration } from '../../src/identity/claims/authentication-configuration.ts';
import { createClaimMapper } from '../../src/identity/claims/claim-mapper.ts';
import { repoRoot } from '../support/cluster.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { changedInRun, TEST_SET } from '../support/test-set.ts';

/**
 * What a page shows is true. Each fenced block has a language, and that is the convention:
 *
 * - `sh`: commands. They run as they stand, in one shell for the page, in the folder of a clone. A block that begins with one of NEEDS does not run here.
 * - `console`: `$ command`, and lines that it prints; `…` stands for more of them.
 * - `yaml` that begins with `# name.yaml` is a file, which the commands below it may use. Resources, and parts of the resource that the page is about, are
 *   sent to the api-server as a dry run; an AuthenticationConfiguration is read as Chandlery reads it.
 * - `json` can be read; `text` and `ts` are shown only.
 */
const LANGUAGES = ['sh', 'console', 'yaml', 'json', 'text', 'ts', 'python'];
const NEEDS = [
  '# Needs Docker and kind.',
  '# Needs a registry of yours.',
  '# Needs a forge of yours.',
  '# Needs a source with a folder, and the machine that has it.',
  '# Needs a deleted instance.',
  '# Needs a cluster that Chandlery leaves for good.',
];
/** What this test has done itself before, or is part of. */
const DONE = ['npm start', 'npm test'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'bench/README.md', ...globSync('docs/*.md', { cwd: repoRoot }).sort()];
const READ_OPTIONS = `node --input-type=module -e "import { parseConfig } from '${repoRoot}/src/config.ts'; parseConfig(process.argv.slice(1), {})" --`;
const OPERATOR = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  spec: { name: 'shown', chart: { repoURL: 'https://charts.example.com', name: 'demo', version: '1.0.0' } },
};
/** Pages about a kind, whose blocks may show a part of its spec. */
const SUBJECTS: Readonly<Record<string, { apiVersion: string; kind: string; spec: object }>> = {
  'docs/operator.md': OPERATOR,
  'docs/operator-upgrades.md': OPERATOR,
  'docs/environment.md': { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', spec: {} },
};

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

describe('the documentation', { timeout: 600_000 }, () => {
  let product: SharedProduct;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const blocks = PAGES.flatMap(blocksOf);

  before(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-documentation-'));
    for (const name of await readdir(repoRoot)) await symlink(join(repoRoot, name), join(folder, name));
    product = await sharedProduct();
    const { kubectl = 'kubectl', helm } = await loadTools(repoRoot);
    const PATH = [join(repoRoot, 'node_modules/.bin'), dirname(kubectl), dirname(helm), process.env['PATH']].join(':');
    const theirs = { CLIENT_SECRET: 'a secret', PASSWORD: 'a password' };
    const ours = { KUBECONFIG: product.kubeconfigPath, CHANDLERY_STATE: product.stateDir, npm_config_offline: 'true' };
    env = { PATH, HOME: folder, ...theirs, ...ours };
  });
  after(async () => {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('names the language of each block, and only npm scripts that there are', () => {
    assert.deepEqual(blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(placeOf), []);
    const { scripts } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const named = PAGES.flatMap((page) =>
      [...readFileSync(join(repoRoot, page), 'utf8').matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? ''),
    );
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });

  for (const page of PAGES.filter((candidate) => blocks.some((block) => block.page === candidate))) {
    it(`is right in ${page}`, { skip: isDue(page) ? false : 'npm test runs the blocks of pages that the change touches' }, async () => {
      const own = blocks.filter((block) => block.page === page);
      for (const block of own.filter(({ language }) => language === 'json')) JSON.parse(block.text);
      for (const block of own.filter(({ language, text }) => language === 'yaml' && !NEEDS.some((need) => text.startsWith(need))))
        await check(block);
      const script = own.flatMap((block) => (block.language === 'sh' ? [scriptOf(block, product.origin)] : [])).join('\n');
      await shell(script);
      for (const block of own.filter(({ language }) => language === 'console')) await checkOutput(block);
    });
  }

  const shell = async (script: string): Promise<string> =>
    await new Promise((resolve, reject) => {
      const child = execFile('sh', ['-eu'], { env, cwd: folder }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${stderr}\n${stdout.slice(-2_000)}`, { cause: error }));
      });
      child.stdin?.end(`${script}\n`);
    });

  /** A file is written; a resource, or a part of one, is sent to the api-server. */
  const check = async ({ page, line, text }: Block): Promise<void> => {
    const name = /^# ([\w-]+\.yaml)$/m.exec(text.split('\n')[0] ?? '')?.[1] ?? `${page.replace('/', '-')}-${line}.yaml`;
    const shown: unknown = parse(text);
    const subject = SUBJECTS[page];
    const isPart = isObject(shown) && textAt(shown, 'kind') === undefined;
    assert.ok(!isPart || subject !== undefined, `${page}:${line}: it is neither a resource nor a part of one`);
    const whole = { ...subject, metadata: { name: 'shown' }, spec: { ...subject?.spec, ...objectAt(shown, 'spec') } };
    await writeFile(join(folder, name), isPart ? stringify(whole) : text);
    if (textAt(shown, 'kind') === 'AuthenticationConfiguration') {
      for (const issuer of parseAuthenticationConfiguration(text, placeOf({ page, line }))) createClaimMapper(issuer, page);
      return;
    }
    await shell(`# ${page}:${line}\nkubectl apply --server-side --force-conflicts --dry-run=server -f ${name}`);
  };

  const checkOutput = async (block: Block): Promise<void> => {
    const [command = '', ...lines] = block.text.split('\n');
    const printed = (await shell(command.replace(/^\$ /, ''))).split('\n');
    const missing = lines.filter((line) => line !== '' && line !== '…' && !printed.includes(line));
    assert.deepEqual(missing, [], placeOf(block));
  };
});

function isDue(page: string): boolean {
  return TEST_SET === 'all' || changedInRun().includes(page);
}

/** The commands of a block as they stand, but for the port, which is another one here. The options of `npm start` are read, because it runs already. */
function scriptOf(block: Block, origin: string): string {
  if (NEEDS.some((need) => block.text.startsWith(`${need}\n`))) return '';
  const lines = block.text.split('\n').filter((line) => !DONE.includes(line));
  const commands = lines.map((line) => line.replace(/^npm start -- /, `${READ_OPTIONS} `).replaceAll('http://localhost:8080', origin));
  return [`echo '${placeOf(block)}' >&2`, ...commands].join('\n');
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(repoRoot, page), 'utf8');
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(({ 1: language = '', 2: inside = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    text: inside,
  }));
}

function placeOf({ page, line }: Pick<Block, 'page' | 'line'>): string {
  return `${page}:${line}`;
}
