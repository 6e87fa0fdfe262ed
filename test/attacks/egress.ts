import assert from 'node:assert/strict';
import { createServer, type AddressInfo } from 'node:net';
import type { Attack } from './attack.ts';
import { blockedIn, newOperator, preflighted } from './operators.ts';

// Addresses of charts that lead into the network of Chandlery itself, however they are spelled.

const HOSTS = `
127.0.0.1 127.1 2130706433 0x7f.1 0177.0.0.1 0x7f000001 127.0.0.1. 0.0.0.0 0 127.255.255.254
localhost LOCALHOST localhost. %6cocalhost 127%2e0%2e0%2e1 ①②⑦.⓪.⓪.① 127。0。0。1
[::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [::ffff:0:127.0.0.1]
[::ffff:0:7f00:1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001::1] [fe80::1] [fd00:ec2::254]
169.254.169.254 [::ffff:169.254.169.254] [64:ff9b::a9fe:a9fe] 100.100.100.200 168.63.129.16 192.0.0.192 10.0.0.1 172.17.0.1 192.168.0.1
198.18.0.1 224.0.0.1 255.255.255.255 240.0.0.1`
  .trim()
  .split(/\s+/);

export const attacks: readonly Attack[] = [
  {
    title: 'an address of a chart leads to loopback, the site or a metadata service, in any spelling',
    run: async (target) => {
      const listener = createServer((socket) => socket.destroy());
      let connections = 0;
      listener.on('connection', () => (connections += 1));
      await new Promise<void>((resolve) => {
        listener.listen(0, '::', resolve);
      });
      const { port } = listener.address() as AddressInfo;
      try {
        for (const host of HOSTS) {
          const at = `${host}:${port}`;
          const specs = [{ chartURL: `https://${at}/a.tgz` }, { chart: { repoURL: `oci://${at}`, name: 'demo', version: '1.0.0' } }];
          for (const spec of [...specs, { chart: { repoURL: `https://${at}`, name: 'demo', version: '*' } }]) {
            const { status, json, text } = await preflighted(target, newOperator('egress', spec));
            assert.equal(status, 200, `${host}: ${text.slice(0, 300)}`);
            assert.match(blockedIn(json).join('\n'), /egress policy|this is not an address|cannot be resolved/, host);
          }
        }
        assert.equal(connections, 0, 'somebody was connected to');
      } finally {
        listener.close();
      }
      return HOSTS.length * 3;
    },
  },
];
