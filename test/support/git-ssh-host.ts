import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import ssh2 from 'ssh2';

/** A git host by ssh: git's own upload-pack and receive-pack behind a server that knows one key. */
export interface GitSshHost {
  /** `localhost:<port>` */
  readonly host: string;
  /** The keys of a Secret that it lets in; the private key has the password. */
  readonly credentials: Readonly<Record<'identity' | 'known_hosts' | 'password', string>>;
  /** A private key that it does not know. */
  readonly stranger: string;
  /** The public key of another host, as `known_hosts` has it. */
  readonly otherHostKey: string;
  /** What the clients asked it to run. */
  readonly commands: readonly string[];
  stop(): Promise<void>;
}

/** @param protocol whether it takes the environment variable by which git asks for version 2; OpenSSH does not unless it is configured to. */
export async function startGitSshHost(root: string, protocol: 'VersionOne' | 'VersionTwo' = 'VersionTwo'): Promise<GitSshHost> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-ssh-'));
  const password = 'neap "tide"';
  const [hostKey, otherHostKey] = [await makeKey(folder, 'host'), await makeKey(folder, 'other')];
  const [person, stranger] = [await makeKey(folder, 'person', password), await makeKey(folder, 'stranger')];
  const allowed = ssh2.utils.parseKey(person.public);
  if (allowed instanceof Error) throw allowed;
  const commands: string[] = [];
  const clients = new Set<ssh2.Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined).on('close', () => clients.delete(client));
    client.on('authentication', (asked) => {
      if (asked.method !== 'publickey' || !asked.key.data.equals(allowed.getPublicSSH())) {
        asked.reject(['publickey']);
        return;
      }
      // It gives an error, too, where its types say a boolean.
      const proof: unknown = asked.signature === undefined || allowed.verify(asked.blob ?? '', asked.signature, asked.hashAlgo);
      if (proof === true) asked.accept();
      else asked.reject(['publickey']);
    });
    client.on('session', (accept) => {
      let version = '';
      const session = accept();
      session.on('env', (take, reject, { key, val }) => {
        if (protocol === 'VersionOne' || key !== 'GIT_PROTOCOL') return reject?.();
        version = val;
        take?.();
      });
      session.on('exec', (take, _reject, { command }) => {
        commands.push(command);
        serve(take(), { root, command, version });
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    host: `localhost:${port}`,
    credentials: { identity: person.private, known_hosts: `[localhost]:${port} ${hostKey.public}`, password },
    stranger: stranger.private,
    otherHostKey: `[localhost]:${port} ${otherHostKey.public}`,
    commands,
    stop: async () => {
      for (const client of clients) client.end();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A pair of keys: the file of the private one, and both as text. */
interface SshKey {
  readonly file: string;
  readonly private: string;
  readonly public: string;
}

export async function makeKey(folder: string, name: string, password = ''): Promise<SshKey> {
  const file = join(folder, name);
  await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-a', '1', '-N', password, '-C', name, '-f', file]);
  return { file, private: await readFile(file, 'utf8'), public: (await readFile(`${file}.pub`, 'utf8')).trim() };
}

function serve(channel: ssh2.ServerChannel, { root, command, version }: { root: string; command: string; version: string }): void {
  const [, program, path] = /^git-(upload-pack|receive-pack) '\/?([\w.-]+)'$/.exec(command) ?? [];
  if (program === undefined || path === undefined) {
    channel.stderr.write(`unknown command: ${command}\n`);
    channel.exit(1);
    channel.end();
    return;
  }
  const child = spawn('git', [program, join(root, path)], { env: { ...process.env, GIT_PROTOCOL: version } });
  channel.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
}
