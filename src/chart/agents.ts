import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import type { ChartCredentials } from '../domain/chart-access.ts';
import { egressDenied, guardedLookup } from './egress.ts';
import type { Place } from './locate.ts';
import type { RemoteContext } from './remote.ts';

/** The connections of one fetch. */
export interface Agents {
  agentFor(hop: Hop): Agent;
  close(): Promise<void>;
}

export interface Hop {
  readonly trust: Extract<Place, { kind: 'remote' }>['trust'];
  /** Who we are in TLS, where that is told. */
  readonly identity: ChartCredentials['identity'];
}

/** Connections that are never shared between who is told who we are and who is not. */
export function openAgents(context: RemoteContext): Agents {
  const agents = new Map<string, Agent>();
  return {
    agentFor: (hop) => {
      const key = `${hop.trust} ${hop.identity === undefined ? 'nobody' : 'known'}`;
      const agent = agents.get(key) ?? createAgent(hop, context);
      agents.set(key, agent);
      return agent;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function createAgent({ trust, identity }: Hop, { policy, limits, certificateAuthorities, sender }: RemoteContext): Agent {
  const authorities = [...certificateAuthorities, ...(sender?.credentials.authorities ?? [])];
  const tls = {
    ...(authorities.length > 0 ? { ca: [...getCACertificates('default'), ...authorities] } : {}),
    ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key.reveal() }),
  };
  const bounds = { timeout: limits.connectMs, allowH2: false };
  const timeouts = { headersTimeout: limits.idleMs, bodyTimeout: limits.idleMs };
  if (trust === 'admin') return new Agent({ connect: { ...bounds, ...tls }, ...timeouts });
  const connect = buildConnector({ ...bounds, ...tls, lookup: guardedLookup(policy) });
  return new Agent({
    ...timeouts,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      // An address in figures is connected to without being looked up.
      if (isIP(host) !== 0 && !policy.allows(host)) callback(egressDenied(host, host), null);
      else connect(options, callback);
    },
  });
}
