import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { type GitCredentials, parseGitSecret } from '../../src/domain/source/git-access.ts';
import { localTls } from './local-tls.ts';

/** A git host by https that asks for a password: git's own http-backend. */
export interface GitHost {
  /** The address of its repository. */
  readonly url: string;
  /** The folder with the repository `catalog.git`. */
  readonly root: string;
  readonly credentials: Readonly<Record<'username' | 'password' | 'ca.crt', string>>;
  /** Requests for objects so far; asking for refs does not count. */
  readonly fetches: () => number;
  /** Commits what the files of the repository are now, and pushes; returns the commit. */
  push(files: Readonly<Record<string, string>>, options?: PushOptions): Promise<string>;
  /** From now on this is the password. */
  setPassword(password: string): void;
  stop(): Promise<void>;
}

interface PushOptions {
  readonly branch?: string;
  /** The branch moves to a commit without a parent. */
  readonly unrelated?: boolean;
  readonly tag?: string;
  /** The file of a private key of ssh that signs the commit, or the tag alone. */
  readonly signCommit?: string;
  readonly signTag?: string;
}

/** Who the controller is at a host, as a Secret has it. */
export function credentialsOf(host: GitHost): GitCredentials {
  const metadata = { name: 'git', namespace: 'chandlery-system' };
  const data = Object.entries(host.credentials).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return parseGitSecret({ apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(data) }, host.url);
}

/** Without the configuration of whoever runs the tests. */
const QUIET = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
const PERSON = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

export async function startGitHost(): Promise<GitHost> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-git-'));
  const [bare, work] = [join(folder, 'host', 'catalog.git'), join(folder, 'work')];
  const git = async (...args: string[]): Promise<string> => (await execa('git', args, { cwd: folder, env: QUIET })).stdout;
  await git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  await git('clone', '--quiet', bare, work);
  let password = 'tides';
  let fetches = 0;
  const { authority, server: pair } = localTls();
  const server = createServer({ cert: pair.certificate, key: pair.key }, (request, response) => {
    const expected = `Basic ${Buffer.from(`chandlery:${password}`).toString('base64')}`;
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    backend(join(folder, 'host'), request, response, (body) => {
      if (body.includes('command=fetch')) fetches += 1;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/catalog.git`,
    root: join(folder, 'host'),
    credentials: { username: 'chandlery', password, 'ca.crt': authority },
    fetches: () => fetches,
    push: async (files, { branch = 'main', unrelated = false, tag, signCommit, signTag } = {}) => {
      await git('-C', work, 'checkout', '--quiet', ...(unrelated ? ['--orphan', 'unrelated'] : ['-B', branch]));
      await execa('git', ['-C', work, 'rm', '-r', '--force', '--quiet', '--ignore-unmatch', '.'], { env: QUIET });
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(work, file)), { recursive: true });
        await writeFile(join(work, file), text);
      }
      await git('-C', work, 'add', '--all');
      const commit = ['commit', '--quiet', '--allow-empty', '--message', 'Change the catalogue'];
      await git('-C', work, ...PERSON, ...signer(signCommit), ...commit, ...(signCommit === undefined ? [] : ['--gpg-sign']));
      if (unrelated) await git('-C', work, 'branch', '--quiet', '--move', '--force', branch);
      if (tag !== undefined) {
        const kind = signTag === undefined ? '--annotate' : '--sign';
        await git('-C', work, ...PERSON, ...signer(signTag), 'tag', kind, '--message', tag, tag);
      }
      await git('-C', work, 'push', '--quiet', '--force', 'origin', branch, ...(tag === undefined ? [] : [tag]));
      return await git('-C', work, 'rev-parse', 'HEAD');
    },
    setPassword: (next) => {
      password = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function signer(file: string | undefined): readonly string[] {
  return file === undefined ? [] : ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
}

/** RFC 3875, as git's http-backend wants it. */
function backend(root: string, request: IncomingMessage, response: ServerResponse, seen: (body: string) => void): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
  const env = {
    ...process.env,
    ...QUIET,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    REMOTE_USER: 'chandlery',
  };
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  request.on('data', (piece: Buffer) => seen(piece.toString('latin1')));
  request.pipe(child.stdin);
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.on('close', () => {
    const answer = Buffer.concat(pieces);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status'))).end(answer.subarray(end + 4));
  });
}
