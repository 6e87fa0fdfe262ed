import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitAtMost } from '../domain/core/wait-at-most.ts';
import type { Config } from '../config.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { answerClientErrors } from '../http/error-handler.ts';
import type { ControllerStatus } from '../domain/kubernetes/controller-status.ts';
import type { UnavailableComponent } from '../http/http-deps.ts';
import { READY_TIMEOUT_MS } from '../http/probes.ts';
import type { Identity } from '../identity/create-identity.ts';
import type { Kube } from '../kube/kube.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Store } from '../store/store.ts';

/** The port is open from the first moment; who answers behind it can be set later. */
export interface Listener {
  readonly port: number;
  /** Who answers from now on. */
  answerWith(listener: RequestListener): void;
  /** Ends all connections, waiting for those with an answer under way for at most the given milliseconds. */
  close(patience: number): Promise<void>;
}

const NEXT_PORTS = 50;
/** For a request to arrive; the answer may take longer, and a stream of events does. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** Where the pages are answered, and the metrics where they have a port of their own. */
export interface Listeners {
  readonly pages: Listener;
  readonly metrics?: Listener;
  close(patience: number): Promise<void>;
}

/** @throws AppError `ConfigInvalid` when a port is taken. */
export async function openListeners(config: Pick<Config, 'port' | 'portIsFixed' | 'listen' | 'metricsPort'>): Promise<Listeners> {
  const { listen, metricsPort } = config;
  const pages = await openListener({ ...config, name: 'port' });
  if (metricsPort === undefined) return { pages, close: pages.close };
  try {
    const metrics = await openListener({ port: metricsPort, portIsFixed: true, listen, name: 'metrics-port' });
    return { pages, metrics, close: async (patience) => void (await Promise.all([pages.close(patience), metrics.close(patience)])) };
  } catch (error) {
    await pages.close(0);
    throw error;
  }
}

type DoorInput = Pick<Config, 'port' | 'portIsFixed' | 'listen'> & { readonly name: 'port' | 'metrics-port' };

/**
 * Listens on the configured port, or on the next free one when the port was not asked for by name. Until there is somebody to answer,
 * `/healthz` says that the process lives, and everything else that it is starting.
 *
 * @throws AppError `ConfigInvalid` when the port is taken.
 */
async function openListener({ port, portIsFixed, listen, name }: DoorInput): Promise<Listener> {
  let answer: RequestListener = starting;
  const server = createServer(TIMEOUTS, (req, res) => answer(req, res));
  answerClientErrors(server);
  const last = portIsFixed ? port : port + NEXT_PORTS;
  for (let candidate = port; ; candidate += 1) {
    const failure = await tryListen(server, candidate, listen);
    if (failure === undefined) break;
    if (failure.code !== 'EADDRINUSE' || candidate >= last) {
      throw new AppError('ConfigInvalid', `--${name}: ${candidate} on ${listen} ${why(failure)}; choose another one with --${name}`);
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    answerWith: (listener) => {
      answer = listener;
    },
    close: (patience) => closeServer(server, patience),
  };
}

function why({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'is taken by another program';
  return code === 'EACCES' ? 'needs permissions that Chandlery does not have' : `cannot be used (${message})`;
}

async function tryListen(server: Server, port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return await new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error);
    server.once('error', failed);
    server.listen({ port, host }, () => {
      server.off('error', failed);
      resolve(undefined);
    });
  });
}

async function closeServer(server: Server, patience: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), patience);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}

const starting: RequestListener = (req, res) => {
  const alive = req.url === '/healthz';
  res.writeHead(alive ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'Retry-After': '2' });
  res.end(
    JSON.stringify(
      alive ? { status: 'ok' } : { status: 'not ready', unavailable: [{ component: 'cluster', message: 'Chandlery is starting' }] },
    ),
  );
};

export interface ReadinessInput {
  readonly kube: Pick<Kube, 'ping'>;
  readonly catalog: Pick<LiveCatalog, 'synced' | 'faults'>;
  /** Absent where nobody signs in: in a process that runs controllers alone. */
  readonly identity?: Pick<Identity, 'unavailableReason'>;
  readonly store?: Pick<Store, 'unavailableReason'>;
  readonly metrics: Pick<Metrics, 'clusterReachable' | 'issuerReachable' | 'databaseReachable'>;
}

/** Whether the process can serve, and what it does about the controllers. */
export interface Readiness {
  installed(): void;
  controller(status: ControllerStatus): void;
  /** Undefined where the process runs no controllers. */
  controllerStatus(): ControllerStatus | undefined;
  absences(): Promise<UnavailableComponent[]>;
}

/**
 * The unavailable components: the cluster does not answer, has not all of our kinds or is not watched; the issuer or the
 * database does not answer.
 */
export function readinessOf({ kube, catalog, identity, store, metrics }: ReadinessInput): Readiness {
  let controller: ControllerStatus | undefined;
  let installed = false;
  const cluster = async (): Promise<string | undefined> => {
    try {
      await kube.ping({ signal: AbortSignal.timeout(READY_TIMEOUT_MS) });
      metrics.clusterReachable('yes');
    } catch (error) {
      metrics.clusterReachable('no');
      return messageOf(error);
    }
    if (!installed) return 'installing CRDs and roles';
    const faults = catalog.faults();
    if (faults.length > 0) return faults.join('; ');
    return catalog.synced() ? undefined : 'loading the catalogue';
  };
  const issuer = async (): Promise<string | undefined> => {
    const reason = await inTime(identity?.unavailableReason(), 'The identity provider');
    metrics.issuerReachable(reason === undefined ? 'yes' : 'no');
    return reason;
  };
  const database = async (): Promise<string | undefined> => {
    const reason = await inTime(store?.unavailableReason(), 'The database');
    metrics.databaseReachable(reason === undefined ? 'yes' : 'no');
    return reason;
  };
  return {
    installed: () => {
      installed = true;
    },
    controller: (status) => {
      controller = status;
    },
    controllerStatus: () => controller,
    absences: async () => {
      const reasons = await Promise.all([cluster(), issuer(), database()]);
      return reasons.flatMap((message, index) => componentOf(message, COMPONENTS[index]));
    },
  };
}

const COMPONENTS = ['cluster', 'issuer', 'database'] as const;

function componentOf(message: string | undefined, component: UnavailableComponent['component'] | undefined): UnavailableComponent[] {
  return message === undefined || component === undefined ? [] : [{ component, message }];
}

async function inTime(checked: Promise<string | undefined> | undefined, who: string): Promise<string | undefined> {
  if (checked === undefined) return undefined;
  return (await waitAtMost(checked, READY_TIMEOUT_MS)) ? await checked : `${who} does not answer in time`;
}
