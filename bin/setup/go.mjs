import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SetupError } from './setup-error.mjs';

const run = promisify(execFile);

/**
 * A Go that can build the pins: `{ path, env }`. One that is older but fetches newer toolchains by itself will do.
 *
 * @throws SetupError what to install, or what to do without.
 */
export async function requireGo(pins, { names, mode, rejected }) {
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  delete env.GOOS;
  delete env.GOARCH;
  try {
    const { stdout } = await run('go', ['env', 'GOVERSION'], { cwd: pins.folder, env });
    if (isRecent(stdout.trim(), pins.go)) return { path: 'go', env };
    throw new SetupError(advice(`the Go on the PATH is too old (${stdout.trim()})`, pins, { names, mode, rejected }));
  } catch (error) {
    if (error instanceof SetupError) throw error;
    const reason =
      error.code === 'ENOENT'
        ? 'there is no Go on the PATH'
        : `the Go on the PATH cannot be used (${String(error.stderr ?? error.message).trim()})`;
    throw new SetupError(advice(reason, pins, { names, mode, rejected }));
  }
}

function isRecent(version, wanted) {
  const [major, minor] = /go(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? [0, 0];
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function advice(reason, pins, { names, mode, rejected }) {
  const unfit = rejected.filter(({ name }) => names.includes(name)).map(({ path, version }) => `${path} is ${version}, which does not fit`);
  const what = names.length === 0 ? "KWOK's stages have to be fetched once with Go" : `${names.join(', ')} must be built once with Go`;
  const other =
    mode === 'context'
      ? 'or put helm 4 on the PATH'
      : 'or use a cluster of your own, `npm start -- --context NAME`, with helm 4 on the PATH';
  return [
    `${what}, but ${reason}${unfit.length > 0 ? ` (${unfit.join('; ')})` : ''}.`,
    `Install Go ${pins.go} or newer (https://go.dev/dl), ${other}.`,
  ].join('\n');
}
