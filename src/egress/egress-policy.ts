import { lookup as resolveName } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { AppError } from '../domain/core/errors.ts';

/** Decides which network addresses may be connected to. */
export interface EgressPolicy {
  allows(address: string): boolean;
}

/**
 * Loopback, private, link-local, carrier, multicast, documentation and unspecified ranges, ranges that stand for IPv4 addresses, and the metadata services
 * of clouds (the IANA registries of special-purpose addresses).
 */
const CLOSED: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/63',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Where IPv6 addresses hold IPv4 ones: the first groups, and the place of the two groups that are meant. */
const EMBEDDED: readonly { readonly groups: readonly number[]; readonly at: number }[] = [
  // IPv4-compatible (RFC 4291), IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056).
  { groups: [0, 0, 0, 0, 0, 0], at: 6 },
  { groups: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { groups: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { groups: [0x2002], at: 1 },
];
/** An IPv4-mapped address (RFC 4291) is the IPv4 address: the system connects to that. */
const MAPPED = { groups: [0, 0, 0, 0, 0, 0xffff], at: 6 } as const;

/**
 * An address that stands for an IPv4 address is allowed only where that is: whoever opens the prefix of NAT64 does not open loopback behind it.
 *
 * @param allowEgress ranges that the admin opens, in CIDR notation.
 * @throws AppError `ConfigInvalid` for a range that cannot be read.
 */
export function createEgressPolicy(allowEgress: readonly string[]): EgressPolicy {
  const closed = blockListOf(CLOSED);
  const opened = blockListOf(allowEgress);
  const isAllowed = (address: string, family: 'ipv4' | 'ipv6'): boolean => opened.check(address, family) || !closed.check(address, family);
  return {
    allows: (address) => {
      const plain = address.replace(/%.*$/s, '');
      if (isIP(address) === 4) return isAllowed(address, 'ipv4');
      if (isIP(plain) !== 6) return false;
      const groups = groupsOf(plain);
      const mapped = embeddedIn(groups, MAPPED);
      if (mapped !== undefined) return isAllowed(mapped, 'ipv4');
      const meant = EMBEDDED.map((form) => embeddedIn(groups, form)).find((found) => found !== undefined);
      return isAllowed(plain, 'ipv6') && (meant === undefined || isLoopbackWord(groups) || isAllowed(meant, 'ipv4'));
    },
  };
}

/** `::` and `::1` look like IPv4-compatible addresses and are none. */
function isLoopbackWord(groups: readonly number[]): boolean {
  return groups.slice(0, 7).every((group) => group === 0) && (groups[7] ?? 0) <= 1;
}

/** The eight groups of an IPv6 address. Of all spellings an URL has one, without dotted figures. */
function groupsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [start = [], end] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: end === undefined ? 0 : 8 - start.length - end.length }, () => '0');
  return [...start, ...zeros, ...(end ?? [])].map((group) => Number.parseInt(group, 16));
}

function embeddedIn(
  address: readonly number[],
  { groups, at }: { readonly groups: readonly number[]; readonly at: number },
): string | undefined {
  if (groups.some((group, index) => address[index] !== group)) return undefined;
  const [high = 0, low = 0] = address.slice(at, at + 2);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix = ''] = range.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const length = Number(prefix === '' ? bits : prefix);
    if (isIP(address) === 0 || !Number.isInteger(length) || length < 0 || length > bits) {
      throw new AppError('ConfigInvalid', `allow-egress: ${JSON.stringify(range)} is not a range; write it like 10.1.0.0/16`);
    }
    list.addSubnet(address, length, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Of a name in the DNS (RFC 1035). */
const MAX_HOST_LENGTH = 253;

/** Makes the error for an address that the policy rejects; `why` names host and address, and how to open it. */
type DenyEgress = (why: string) => AppError;

/** How connections are made. */
interface GuardedConnections {
  readonly policy: EgressPolicy;
  readonly deny: DenyEgress;
  /** TLS and timeouts. */
  readonly options: buildConnector.BuildOptions;
}

/**
 * Connects only to addresses that the policy allows. The check is on the very address that is then connected to, so a name that changes its answer between
 * check and use gains nothing.
 */
export function guardedConnector({ policy, deny, options }: GuardedConnections): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: guardedLookup(policy, deny) });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // OpenSSL keeps its error about a longer one, and blames it on the next connection of the process, whosever that is.
    if (host.length > MAX_HOST_LENGTH) {
      callback(deny(`${host.slice(0, 40)}…: a host name has at most ${MAX_HOST_LENGTH} characters`), null);
      return;
    }
    // An address in figures is connected to without being looked up.
    if (isIP(host) !== 0 && !policy.allows(host)) callback(deny(denial(host, host)), null);
    else connect(target, callback);
  };
}

/**
 * An address of a host that the policy allows, for a program that connects by itself and is given this very address.
 *
 * @throws what `deny` makes; the error of the resolver for a name that cannot be resolved.
 */
export async function resolveAllowed(host: string, { policy, deny }: Pick<GuardedConnections, 'policy' | 'deny'>): Promise<string> {
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  const allowed = addresses.find((address) => policy.allows(address));
  if (allowed === undefined) throw deny(denial(host, addresses[0] ?? 'no address'));
  return allowed;
}

/** A resolver that gives only allowed addresses, and fails when none is left. */
function guardedLookup(policy: EgressPolicy, deny: DenyEgress): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter((entry) => policy.allows(entry.address));
      const [first] = allowed;
      if (first === undefined) callback(deny(denial(hostname, addresses[0]?.address ?? 'no address')), []);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/** Which address of a host the policy rejects, and how to open it. */
function denial(host: string, address: string): string {
  const named = host === address ? address : `${host} (${address})`;
  return `${named}: the egress policy allows no loopback, private, link-local or metadata address; open it with --allow-egress`;
}
