// `npm run sbom`: everything that runs in the image as CycloneDX: the packages of npm, Node itself, the programs that tools/go.mod pins, and the packages of the system.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readPins } from './setup/pins.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The embedded cluster is not in the image. */
const PROGRAMS = ['helm', 'kubectl'];
const NPM = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--omit', 'optional', '--package-lock-only'];

const sbom = JSON.parse(execFileSync('npm', NPM, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
const components = [...sbom.components, component('node', process.versions.node, 'pkg:generic/node'), ...programs(), ...systemPackages()];
process.stdout.write(`${JSON.stringify({ ...sbom, components }, undefined, 2)}\n`);

function programs() {
  const pinned = readPins(root).programs.filter(({ name }) => PROGRAMS.includes(name));
  return pinned.map(({ name, version, module }) => component(name, version, `pkg:golang/${module}`));
}

/** Git and ssh among them. On other systems than Debian there is no list. */
function systemPackages() {
  let text = '';
  try {
    text = execFileSync('dpkg-query', ['--show', '--showformat', '${Package} ${Version} ${Architecture}\\n'], { encoding: 'utf8' });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [name, version, architecture] = line.split(' ');
    return component(name, version, `pkg:deb/debian/${name}`, `?arch=${architecture}`);
  });
}

/** https://github.com/package-url/purl-spec: a version is percent-encoded. */
function component(name, version, type, qualifiers = '') {
  const purl = `${type}@${encodeURIComponent(version)}${qualifiers}`;
  return { 'bom-ref': purl, type: 'application', name, version, purl };
}
