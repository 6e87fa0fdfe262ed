import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { AppError } from '../../domain/core/errors.ts';
import { writePrivateFile } from './private-file.ts';

/** The loopback ports of a cluster. */
export interface Ports {
  readonly apiServer: number;
  readonly etcd: number;
  readonly etcdPeer: number;
  /** Where the api-server reads the keys of the embedded issuer. */
  readonly issuer: number;
  /** Where the api-server reads the logs of pods. */
  readonly kubelet: number;
}

/** Below the range from which operating systems give ports to outgoing connections, so that a remembered port is seldom taken. */
const FIRST = 20_000;
const COUNT = 10_000;
const TRIES = 200;

/**
 * Finds free ports and remembers them in `file`: the remembered ones when they are free, else others. Where the search begins depends on
 * `seed`, so that clusters side by side do not compete.
 *
 * @throws AppError `ConfigInvalid` when no port is free.
 */
export async function choosePorts(file: string, seed: string): Promise<Ports> {
  const remembered = await readPorts(file);
  const spokenFor = new Set<number>(Object.values(remembered));
  const choose = async (preferred: number | undefined): Promise<number> => {
    if (preferred !== undefined && (await isFree(preferred))) return preferred;
    const port = await firstFree(candidates(seed).filter((candidate) => !spokenFor.has(candidate)));
    spokenFor.add(port);
    return port;
  };
  const ports = {
    apiServer: await choose(remembered.apiServer),
    etcd: await choose(remembered.etcd),
    etcdPeer: await choose(remembered.etcdPeer),
    issuer: await choose(remembered.issuer),
    kubelet: await choose(remembered.kubelet),
  };
  await writePrivateFile(file, `${JSON.stringify(ports)}\n`);
  return ports;
}

async function firstFree(candidatePorts: readonly number[]): Promise<number> {
  for (const port of candidatePorts) {
    if (await isFree(port)) return port;
  }
  throw new AppError('ConfigInvalid', `ports: none of ${candidatePorts.length} tried on 127.0.0.1 is free`);
}

function candidates(seed: string): number[] {
  const offset = createHash('sha256').update(seed).digest().readUInt32BE(0) % COUNT;
  return Array.from({ length: TRIES }, (_, index) => FIRST + ((offset + index) % COUNT));
}

/** Whether somebody could listen on the loopback port now. */
async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function readPorts(file: string): Promise<Partial<Ports>> {
  try {
    const ports: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof ports !== 'object' || ports === null) return {};
    return Object.fromEntries(Object.entries(ports).filter(([, port]) => Number.isInteger(port) && port > 0 && port < 65_536));
  } catch {
    return {};
  }
}
