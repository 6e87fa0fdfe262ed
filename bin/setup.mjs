#!/usr/bin/env node
// Installs packages and finds or builds the programs that Chandlery runs. Needs nothing but Node 20 and, to build, Go.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, readBuilt } from './setup/build.mjs';
import { installPackages } from './setup/packages.mjs';
import { readPins } from './setup/pins.mjs';
import { findPresent } from './setup/present.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { writeAtomically } from './setup/write-atomically.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MANIFEST = join(root, 'node_modules', '.cache', 'chandlery', 'tools.json');

/**
 * Makes everything ready that `mode` needs: `cluster` all programs of the embedded cluster, `context` only helm. Writes the programs'
 * paths to `node_modules/.cache/chandlery/tools.json`, and does and says nothing when all is there.
 *
 * @param {'cluster' | 'context'} mode
 */
export async function setUp(mode) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    throw new SetupError(`Node ${process.versions.node} is too old to begin with: install Node 20 or newer (https://nodejs.org).`);
  }
  await installPackages(root);
  const pins = readPins(root);
  const present = await findPresent(pins);
  const built = readBuilt(pins);
  const needed = mode === 'context' ? ['helm'] : pins.programs.map((program) => program.name);
  const missing = needed.filter((name) => present.programs[name] === undefined && built.programs[name] === undefined);
  const needsStages = mode === 'cluster' && built.stages === undefined;
  const complete = missing.length > 0 || needsStages ? await buildPrograms(pins, missing, { mode, rejected: present.rejected }) : built;
  writeManifest({
    programs: { ...complete.programs, ...present.programs },
    ...(complete.stages === undefined ? {} : { stages: complete.stages }),
  });
}

/** Written whole, and only when it changes. */
function writeManifest(manifest) {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (readOrNothing(MANIFEST) === text) return;
  writeAtomically(MANIFEST, text);
}

function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Runs `setUp` for a command: what is missing ends the process with a sentence, not with a stack. */
export async function setUpOrExit(mode) {
  try {
    await setUp(mode);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\n${error.message}`);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setUpOrExit(process.argv.includes('--context') ? 'context' : 'cluster');
