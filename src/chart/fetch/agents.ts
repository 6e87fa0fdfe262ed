import { isIP } from 'node:net';
import { getCACertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { egressDenied, guardedLookup } from './egress.ts';
import type { EgressPolicy } from './egress.ts';
import type { ChartLimits } from '../limits.ts';
import type { Place } from './locate.ts';
import type { ScopedCredentials } from './scoped-credentials.ts';

/** The connections of one fetch. */
export interface Agents {
  agentFor(hop: Hop): Agent;
  close(): Promise<void>;
}

/** How connections are made. */
export interface ConnectionSettings {
  readonly policy: EgressPolicy;
  readonly limits: ChartLimits;
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities: readonly string[];
  /** The credentials of the source of this chart; absent for a public one. */
  readonly credentials?: ScopedCredentials;
}

export interface Hop {
  readonly trust: Extract<Place, { kind: 'remote' }>['trust'];
  /** The client certificate, where it is presented. */
  readonly identity: ChartCredentials['identity'];
}

/** Connections; one that presents a client certificate is never shared with one that does not. */
export function openAgents(settings: ConnectionSettings): Agents {
  const agents = new Map<string, Agent>();
  return {
    agentFor: (hop) => {
      const key = `${hop.trust} ${hop.identity === undefined ? 'anonymous' : 'identified'}`;
      const agent = agents.get(key) ?? createAgent(hop, settings);
      agents.set(key, agent);
      return agent;
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function createAgent({ trust, identity }: Hop, { policy, limits, certificateAuthorities, credentials }: ConnectionSettings): Agent {
  const authorities = [...certificateAuthorities, ...(credentials?.authorities ?? [])];
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
