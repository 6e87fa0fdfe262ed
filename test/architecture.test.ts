import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { generatedFiles } from '../bin/docs.ts';

/** Every room of the house and the rooms that it may import from besides its own; compose and main may import from all. */
const EDGE = ['domain', 'thread', 'schema', 'observe', 'egress', 'config.ts'];
const PORTS = [...EDGE, 'form', 'operation'];
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  thread: ['domain'],
  schema: ['domain', 'thread'],
  observe: ['domain'],
  egress: ['domain'],
  'config.ts': ['domain'],
  form: EDGE,
  chart: EDGE,
  folder: EDGE,
  helm: EDGE,
  'environment-index': EDGE,
  kube: EDGE,
  git: EDGE,
  prometheus: EDGE,
  store: EDGE,
  identity: EDGE,
  controller: EDGE,
  operation: [...EDGE, 'form'],
  reconcile: [...EDGE, 'controller'],
  http: EDGE,
  api: [...PORTS, 'http'],
  web: [...PORTS, 'http'],
  cli: [...PORTS, 'http'],
  embedded: [...EDGE, 'kube', 'identity'],
};
const SAMPLE_OPERATORS = ['domain', 'observe', 'controller', 'kube'];
const COMPOSERS = ['compose', 'compose.ts', 'main.ts'];

const FILES = globSync('src/**/*.ts').sort();
const LIMIT = 400;

describe('the house', () => {
  it('lets the sample operators import what a controller needs', () => {
    const wrong = globSync('charts/**/*.ts').flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('src/') && !SAMPLE_OPERATORS.includes(roomOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('has only the rooms that the design names', () => {
    const rooms = new Set([...Object.keys(IMPORTS), ...COMPOSERS]);
    assert.deepEqual(
      readdirSync('src').filter((name) => !rooms.has(name)),
      [],
    );
  });

  it('imports downwards only', () => {
    const wrong = FILES.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(roomOf(file), roomOf(target)))
        .map((target) => `${file} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('runs Node in the image and in the chart as npm start does', () => {
    const flags = JSON.parse(readFileSync('bin/node-flags.json', 'utf8')) as string[];
    const variables = Object.entries(JSON.parse(readFileSync('bin/node-env.json', 'utf8')) as Record<string, string>);
    const image = readFileSync('Dockerfile', 'utf8');
    const chart = readFileSync('charts/chandlery/templates/deployment.yaml', 'utf8');
    assert.ok(image.includes(`ENTRYPOINT ${JSON.stringify(['node', ...flags, 'src/main.ts']).replaceAll(',', ', ')}`));
    assert.ok(chart.includes(`command: [${['node', ...flags, 'src/main.ts'].join(', ')}]`));
    for (const [name, value] of variables) {
      assert.ok(image.includes(`ENV ${name}=${value}\n`));
      assert.match(chart, new RegExp(`- name: ${name}\\s+value: "${value}"`));
    }
  });

  it('lets one room touch the Kubernetes client, one run helm, one read the environment', () => {
    const text = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]));
    const users = (pattern: RegExp): string[] => [...text].filter(([, source]) => pattern.test(source)).map(([file]) => file);
    assert.deepEqual(
      users(/from '@kubernetes\/client-node'/).filter((file) => !file.startsWith('src/kube/')),
      [],
    );
    assert.deepEqual(
      users(/from 'execa'/).filter((file) => !['helm', 'git', 'folder', 'embedded'].includes(roomOf(file))),
      [],
    );
    assert.deepEqual(
      users(/process\.env\b/).filter((file) => !ENVIRONMENT_READERS.includes(file)),
      [],
    );
  });

  it('names the resources of Kubernetes in one table', () => {
    const copies = FILES.filter((file) => /group: [^,}]+, version: [^,}]+, resource: ['`]/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(copies, []);
  });

  it('lets nothing that answers people act as the controller: at most they try as it', () => {
    const rooms = new Set(['operation', 'api', 'web', 'http']);
    const answering = FILES.filter((file) => rooms.has(roomOf(file)));
    assert.deepEqual(
      answering.filter((file) => readFileSync(file, 'utf8').includes('asController(')),
      [],
    );
  });

  it('keeps files short: none above 400 lines, nine in ten below 250, most between 60 and 250', () => {
    const lengths = FILES.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 })).sort(
      (a, b) => a.lines - b.lines,
    );
    assert.deepEqual(
      lengths.filter(({ lines }) => lines > LIMIT),
      [],
    );
    assert.ok((lengths[Math.floor(lengths.length * 0.9)]?.lines ?? 0) < 250);
    assert.ok(lengths.filter(({ lines }) => lines >= 60 && lines <= 250).length > lengths.length / 2);
  });

  it('has folders that can be read at a glance: at most 25 files each', () => {
    const folders = Map.groupBy(FILES, (file) => dirname(file));
    assert.deepEqual(
      [...folders].filter(([, files]) => files.length > 25).map(([folder, files]) => `${folder}: ${files.length}`),
      [],
    );
  });

  it('exports only what another file of the product uses', () => {
    const used = new Set([...FILES, ...globSync(['bin/**/*.{mjs,ts}', 'bench/**/*.ts', 'charts/**/*.ts'])].flatMap(importedNames));
    const unused = FILES.flatMap((file) => exportedValues(file).filter((name) => !used.has(name)));
    assert.deepEqual(unused, []);
  });

  it('never lets the YAML parser compare each key with all before it, which takes minutes for a text of a few hundred KiB', () => {
    const calls = FILES.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bparse(?:Document|AllDocuments)\(text\b[^;]*;/g)].map(([call]) => ({ file, call })),
    ).filter(({ call }) => !call.includes('uniqueKeys: false'));
    assert.deepEqual(calls, []);
  });

  it('has no barrels and no rooms for odds and ends', () => {
    assert.deepEqual(
      FILES.filter((file) => /\/(index|utils?|helpers?|common|misc)(\.ts|\/)/.test(file)),
      [],
    );
  });

  it('has CRDs, tables of fields and the page of errors as `npm run docs` writes them', () => {
    const files = generatedFiles();
    assert.deepEqual(
      files.filter(({ path, text }) => readFileSync(path, 'utf8') !== text).map(({ path }) => path),
      [],
    );
    const crds = files.map(({ path }) => path).filter((path) => path.startsWith('charts/'));
    assert.deepEqual(globSync('charts/chandlery/crds/*').sort(), crds.sort());
  });

  it('locks every package for every machine, so that a clean installation works', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const locked = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
    assert.deepEqual(
      wanted.filter((name) => !locked.has(name)),
      [],
    );
  });

  it('installs nothing by a script at run time, and locks each file by its digest', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const wrong = Object.entries(packages).filter(
      ([path, { dev, hasInstallScript, integrity }]) =>
        path !== '' && (integrity === undefined || (hasInstallScript === true && dev !== true)),
    );
    assert.deepEqual(
      wrong.map(([path]) => path),
      [],
    );
    assert.match(readFileSync('Dockerfile', 'utf8'), /npm ci .*--ignore-scripts/);
  });

  it('lists what the image runs: npm packages, Node, and the programs with their pinned versions', () => {
    const text = execFileSync(process.execPath, ['bin/sbom.mjs'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    const { bomFormat, components } = JSON.parse(text) as Sbom;
    assert.equal(bomFormat, 'CycloneDX');
    const goMod = readFileSync('tools/go.mod', 'utf8');
    const pinned = (module: string): string => new RegExp(`^\\s${module} (v\\S+)`, 'm').exec(goMod)?.[1] ?? '';
    const listed = new Set(components.map(({ purl }) => purl));
    for (const module of ['helm.sh/helm/v4', 'k8s.io/kubernetes']) assert.ok(listed.has(`pkg:golang/${module}@${pinned(module)}`), module);
    assert.ok(listed.has(`pkg:generic/node@${process.versions.node}`));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    const express = packages['node_modules/express']?.version ?? '';
    assert.ok(listed.has(`pkg:npm/express@${express}`), 'npm packages');
    assert.match(readFileSync('Dockerfile', 'utf8'), /npm run --silent sbom > sbom\.cdx\.json/);
  });

  it('gives each notice of a view its title and text: a part that is not told takes those of the page', () => {
    const notices = globSync('views/**/*.hbs').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\{\{#?> parts\/notice [^}]*\}\}/g)].map(([tag]) => `${file}: ${tag}`),
    );
    assert.ok(notices.length > 50);
    assert.deepEqual(
      notices.filter((notice) => !/ title=/.test(notice) || !/ text=/.test(notice)),
      [],
    );
  });

  it('shows no command that runs a package of a stranger: the command line is not in a registry', () => {
    const shown = globSync('{*.md,{bench,bin,catalog,charts,docs,src,views}/**/*.{md,ts,mjs,hbs,yaml,txt,js}}');
    assert.deepEqual(
      shown.filter((file) => /\bnp(x|m exec) (-\S+ )*(kubectl-)?chandlery\b/.test(readFileSync(file, 'utf8'))),
      [],
    );
  });

  it('gives every dependency a reason', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const rows = readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| (\S+) +\| \S/gm);
    const reasons = new Set([...rows].map(([, name]) => name));
    assert.deepEqual(
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter((name) => !reasons.has(name)),
      [],
    );
  });
});

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly purl: string }[];
}

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
}

/** config.ts reads the settings; the post-renderer is a program of its own, started with an environment that we made. */
const ENVIRONMENT_READERS = ['src/main.ts'];

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/from '(\.{1,2}\/[^']+)'/g)]
    .map(([, path]) => normalize(join(dirname(file), path ?? '')))
    .filter((path) => existsSync(path));
}

/** `<file> <name>` of each thing that a file imports from others, at once or later. */
function importedNames(file: string): string[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /import (?:type )?\{([^}]*)\} from '(\.[^']+)'|import\('(\.[^']+)'\)\.then\(\(\{([^}]*)\}\)|const \{([^}]*)\} = await import\('(\.[^']+)'\)/g,
  );
  return [...statements].flatMap(([, names, path, laterPath, laterNames, awaitedNames, awaitedPath]) => {
    const from = normalize(join(dirname(file), path ?? laterPath ?? awaitedPath ?? ''));
    return (names ?? laterNames ?? awaitedNames ?? '').split(',').map(
      (name) =>
        `${from} ${name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*$/, '')}`,
    );
  });
}

/** `<file> <name>` of each function, constant and class that a file exports. Types are left out: they stand in the signatures of what is exported. */
function exportedValues(file: string): string[] {
  const exported = readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm);
  return [...exported].map(([, name]) => `${file} ${name ?? ''}`);
}

function roomOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function mayImport(from: string, to: string): boolean {
  return from === to || COMPOSERS.includes(from) || (IMPORTS[from] ?? []).includes(to);
}
