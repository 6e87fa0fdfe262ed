import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { addressesOf } from '../../../../src/domain/tree/addresses.ts';

function object(apiVersion: string, kind: string, parts: { spec?: object; status?: object }): KubeObject {
  return { apiVersion, kind, metadata: { name: kind.toLowerCase(), namespace: 'team-a' }, ...parts };
}

const service = (spec: object, status: object = {}): KubeObject => object('v1', 'Service', { spec, status });
const ingress = (spec: object, status: object = {}): KubeObject => object('networking.k8s.io/v1', 'Ingress', { spec, status });
const route = (spec: object): KubeObject => object('gateway.networking.k8s.io/v1', 'HTTPRoute', { spec });
const gateway = object('gateway.networking.k8s.io/v1', 'Gateway', {
  spec: {
    listeners: [
      { name: 'plain', protocol: 'HTTP' },
      { name: 'secure', protocol: 'HTTPS' },
    ],
  },
});
const balancer = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }, { hostname: 'lb.example.com' }, { hostname: 'javascript:alert(1)' }] } };
const path = (value: string) => ({ path: value });

const CASES: readonly { readonly title: string; readonly objects: readonly KubeObject[]; readonly addresses: readonly string[] }[] = [
  {
    title: 'a Service inside the cluster, with UDP left out',
    objects: [service({ ports: [{ port: 5432 }, { port: 53, protocol: 'UDP' }] })],
    addresses: ['Cluster service.team-a.svc:5432'],
  },
  {
    title: 'a LoadBalancer by its hosts, and what is no host left out',
    objects: [service({ type: 'LoadBalancer', ports: [{ port: 443, nodePort: 31000 }] }, balancer)],
    addresses: ['External https://192.0.2.7/', 'External https://lb.example.com/', 'Cluster service.team-a.svc:443'],
  },
  {
    title: 'a NodePort at every node',
    objects: [service({ type: 'NodePort', ports: [{ name: 'http', port: 8080, nodePort: 31000 }] })],
    addresses: ['Node NODE_IP:31000', 'Cluster service.team-a.svc:8080'],
  },
  {
    title: 'an ExternalName, which is nothing of this cluster',
    objects: [service({ type: 'ExternalName', ports: [{ port: 80 }] })],
    addresses: [],
  },
  {
    title: 'an Ingress with a certificate for one of its hosts, and patterns of paths left out',
    objects: [
      ingress({
        tls: [{ hosts: ['a.example.com'] }],
        rules: [
          { host: 'a.example.com', http: { paths: [path('/shop'), path('/api(/|$)(.*)')] } },
          { host: 'b.example.com', http: { paths: [path('/api(/|$)(.*)')] } },
          { host: '*.example.com' },
        ],
      }),
    ],
    addresses: ['External http://b.example.com/', 'External https://a.example.com/shop'],
  },
  {
    title: 'an Ingress without hosts, by its controller',
    objects: [ingress({ defaultBackend: {} }, { loadBalancer: { ingress: [{ ip: '2001:db8::1' }] } })],
    addresses: ['External http://[2001:db8::1]/'],
  },
  {
    title: 'an HTTPRoute of a listener with TLS, and one of which the Gateway is not seen',
    objects: [
      gateway,
      route({ hostnames: ['shop.example.com'], parentRefs: [{ name: 'gateway', sectionName: 'secure' }] }),
      route({ hostnames: ['plain.example.com'], parentRefs: [{ name: 'gateway', sectionName: 'plain' }] }),
      route({ hostnames: ['far.example.com', '*.example.com'], rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v1' } }] }] }),
    ],
    addresses: ['External http://far.example.com/v1', 'External http://plain.example.com/', 'External https://shop.example.com/'],
  },
];

describe('the addresses of a tree', () => {
  for (const { title, objects, addresses } of CASES) {
    it(`are those of ${title}`, () => {
      assert.deepEqual(
        addressesOf(objects).map(({ scope, address }) => `${scope} ${address}`),
        addresses,
      );
    });
  }

  it('come with a command that connects a port that anybody may open', () => {
    const forwards = addressesOf([service({ ports: [{ port: 80 }, { port: 5432 }] })]).map(({ portForward }) => portForward);
    assert.deepEqual(forwards, [
      'kubectl port-forward service/service 5432:5432 --namespace team-a',
      'kubectl port-forward service/service 8080:80 --namespace team-a',
    ]);
  });

  it('are links to http and https alone, whatever the objects hold', () => {
    const apis = fc.constantFrom(['v1', 'Service'], ['networking.k8s.io/v1', 'Ingress'], ['gateway.networking.k8s.io/v1', 'HTTPRoute']);
    const host = fc.oneof(fc.string(), fc.domain(), fc.constantFrom('javascript:alert(1)', '//evil', 'a b', '"><script>'));
    const rules = fc.array(fc.record({ host, http: fc.record({ paths: fc.array(fc.record({ path: fc.string() })) }) }));
    const spec = fc.oneof(fc.anything(), fc.record({ rules, hostnames: fc.array(host), tls: fc.anything(), ports: fc.anything() }));
    fc.assert(
      fc.property(apis, spec, fc.anything(), ([apiVersion = '', kind = ''], any, status) => {
        const odd = { apiVersion, kind, metadata: { name: 'x', namespace: 'y' }, spec: any, status } as KubeObject;
        for (const { url } of addressesOf([odd])) assert.match(url ?? 'http://x/', /^https?:\/\/[^\s"'<>]+$/);
      }),
    );
  });
});
