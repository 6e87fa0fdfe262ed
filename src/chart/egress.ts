import { lookup as resolveName } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { AppError } from '../domain/errors.ts';

/** Decides which network addresses charts may be fetched from. */
export interface EgressPolicy {
  allows(address: string): boolean;
}

/** Loopback, private, link-local, carrier, multicast, documentation and unspecified ranges, and the metadata services of clouds. */
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
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/**
 * @param allowEgress ranges that the admin opens, in CIDR notation.
 * @throws AppError `ConfigInvalid` for a range that cannot be read.
 */
export function createEgressPolicy(allowEgress: readonly string[]): EgressPolicy {
  const closed = blockListOf(CLOSED);
  const opened = blockListOf(allowEgress);
  return {
    allows: (address) => {
      const plain = address.replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, '$1').replace(/%.*$/, '');
      const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
      if (isIP(plain) === 0) return false;
      return opened.check(plain, family) || !closed.check(plain, family);
    },
  };
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

/** The refusal of an address, which says how to open it. */
export function egressDenied(host: string, address: string): AppError {
  const named = host === address ? address : `${host} (${address})`;
  return new AppError(
    'EgressDenied',
    `chart: ${named}: the egress policy allows no loopback, private, link-local or metadata address; open it with --allow-egress, or serve the chart with --mirror`,
  );
}

/**
 * A resolver for connections that gives only allowed addresses, so that the check is on the very address that is then connected to, and a
 * name that changes its answer between check and use gains nothing. It fails with `EgressDenied` when no address is left.
 */
export function guardedLookup(policy: EgressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter((entry) => policy.allows(entry.address));
      const [first] = allowed;
      if (first === undefined) callback(egressDenied(hostname, addresses[0]?.address ?? 'no address'), []);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
