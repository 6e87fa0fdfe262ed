import { getCACertificates } from 'node:tls';
import { Agent } from 'undici';
import type { ChartCredentials } from '../../domain/chart/chart-access.ts';
import { AppError } from '../../domain/core/errors.ts';
import { type EgressPolicy, guardedConnector } from '../../egress/egress-policy.ts';
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
  return new Agent({ ...timeouts, connect: guardedConnector({ policy, deny: egressDenied, options: { ...bounds, ...tls } }) });
}

function egressDenied(why: string): AppError {
  return new AppError('EgressDenied', `chart: ${why}, or serve the chart with --mirror`);
}
