import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import { createEgressPolicy, guardedConnector } from '../../../src/egress/egress-policy.ts';

test('addresses of the machine, the site, the cluster and clouds’ metadata are closed; those of the internet are open', () => {
  const policy = createEgressPolicy([]);
  const closed = [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::ffff:0:7f00:1',
    '::ffff:0:1.1.1.1',
    '::ffff:0127.0.0.1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '0000:0000:0000:0000:0000:ffff:0a00:0001',
    '::127.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:20::1',
    '3fff::1',
    '5f00::1',
    '100:0:0:1::1',
    '192.88.99.1',
    'fe80::1%25eth0',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '1.1.1.1%eth0',
    '[::1]',
    'not an address',
    '',
  ];
  const open = ['140.82.121.3', '172.32.0.1', '1.1.1.1', '2606:4700::1111', '::ffff:1.1.1.1', '::ffff:101:101'];
  assert.deepEqual(
    closed.filter((address) => policy.allows(address)),
    [],
  );
  assert.deepEqual(
    open.filter((address) => !policy.allows(address)),
    [],
  );
});

test('the admin opens a range and nothing beside it', () => {
  const policy = createEgressPolicy(['10.1.0.0/16', 'fd12::/32', '192.168.7.7']);
  assert.deepEqual(
    ['10.1.2.3', 'fd12::1', '192.168.7.7'].filter((address) => !policy.allows(address)),
    [],
  );
  assert.deepEqual(
    ['10.2.0.1', 'fd13::1', '192.168.7.8'].filter((address) => policy.allows(address)),
    [],
  );
});

test('who opens a range that stands for IPv4 addresses opens no closed one behind it', () => {
  for (const range of ['64:ff9b::/96', '2002::/16', '::ffff:0:0:0/96', '::/96']) {
    const policy = createEgressPolicy([range]);
    const [prefix = ''] = range.split('/');
    const inside = (hex: string): string =>
      range.startsWith('2002') ? `2002:${hex}::1` : `${prefix.replace(/0$/, '')}${hex}`.replace('::ffff:0:0:', '::ffff:0:');
    assert.deepEqual(
      [inside('101:101'), inside('7f00:1'), inside('a9fe:a9fe')].map((address) => policy.allows(address)),
      [true, false, false],
      range,
    );
  }
  assert.equal(createEgressPolicy(['64:ff9b::/96', '10.0.0.0/8']).allows('64:ff9b::a00:1'), true);
});

test('a range that cannot be read stops the start', () => {
  for (const range of ['10.0.0.0/33', 'example.com/8', '10.0.0.0/x', '', 'fd12::/129']) {
    assert.throws(() => createEgressPolicy([range]), { code: 'ConfigInvalid' }, range);
  }
});

test('a host name that is too long for TLS is rejected before anything is sent', () => {
  const deny = (why: string): AppError => new AppError('EgressDenied', why);
  const connect = guardedConnector({ policy: createEgressPolicy([]), deny, options: {} });
  const target = { hostname: `${'a'.repeat(300)}.example`, protocol: 'https:', port: '443' };
  const failures: unknown[] = [];
  connect(target, (...answer) => {
    failures.push(answer[0]);
  });
  assert.match(String(failures[0]), /aaa…: a host name has at most 253 characters/);
});
