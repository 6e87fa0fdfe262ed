import { compareTexts } from '../core/compare-texts.ts';
import { isObject, listAt, numberAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** Where something listens. */
export interface Address {
  readonly kind: string;
  readonly name: string;
  /** `External`: from where the load balancer or Ingress can be reached; `Node`: at the address of any node; `Cluster`: inside the cluster alone. */
  readonly scope: 'External' | 'Node' | 'Cluster';
  /** `orders.team-a.svc:5432`, `https://orders.example.com/shop` */
  readonly address: string;
  /** The same as a link; absent for what is no web address. */
  readonly url?: string;
  /** Connects a port of one's own machine; of Services. */
  readonly portForward?: string;
}

/** Of one tree. */
const MAX_ITEMS = 50;
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[?[0-9a-f:]{2,45}\]?)$/i;
/** A path that is no pattern of some Ingress controller. */
const PATH = /^\/[\w\-./~%]*$/;

/** The addresses of the objects of a tree, those that are reached from farthest away first. */
export function addressesOf(objects: readonly KubeObject[]): Address[] {
  const gateways = new Map(
    objects.filter((object) => isKind(object, 'gateway.networking.k8s.io', 'Gateway')).map((one) => [keyOf(one), one]),
  );
  const all = objects.flatMap((object) => addressesIn(object, gateways));
  const order = ['External', 'Node', 'Cluster'];
  return [...new Map(all.map((one) => [`${one.kind} ${one.name} ${one.address}`, one])).values()]
    .toSorted((a, b) => order.indexOf(a.scope) - order.indexOf(b.scope) || compareTexts(a.address, b.address))
    .slice(0, MAX_ITEMS);
}

function addressesIn(object: KubeObject, gateways: ReadonlyMap<string, KubeObject>): Address[] {
  if (isKind(object, '', 'Service')) return ofService(object);
  if (isKind(object, 'networking.k8s.io', 'Ingress')) return ofIngress(object);
  if (isKind(object, 'gateway.networking.k8s.io', 'HTTPRoute')) return ofRoute(object, gateways);
  return [];
}

function isKind({ apiVersion, kind }: KubeObject, group: string, wanted: string): boolean {
  return kind === wanted && parseApiVersion(apiVersion).group === group;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** https://kubernetes.io/docs/concepts/services-networking/service/ */
function ofService({ metadata, spec, status }: KubeObject): Address[] {
  const { name, namespace = '' } = metadata;
  const type = textAt(spec, 'type') ?? 'ClusterIP';
  if (type === 'ExternalName') return [];
  const outside = type === 'LoadBalancer' ? balancersOf(status) : [];
  return listAt(spec, 'ports').flatMap((port) => {
    const number = numberAt(port, 'port');
    const nodePort = numberAt(port, 'nodePort');
    if (number === undefined || (textAt(port, 'protocol') ?? 'TCP') !== 'TCP') return [];
    const scheme = schemeOf(textAt(port, 'appProtocol') ?? textAt(port, 'name') ?? '', number);
    const at = (scope: Address['scope'], host: string, port: number): Address => ({
      kind: 'Service',
      name,
      scope,
      ...webAddress(scope === 'External' ? scheme : undefined, host, port),
      portForward: `kubectl port-forward service/${name} ${localPort(number)}:${number} --namespace ${namespace}`,
    });
    return [
      ...outside.map((host) => at('External', host, number)),
      ...(nodePort === undefined || type !== 'NodePort' ? [] : [at('Node', 'NODE_IP', nodePort)]),
      at('Cluster', `${name}.${namespace}.svc`, number),
    ];
  });
}

/** Ports below 1024 take more than an ordinary account on most machines. */
function localPort(port: number): number {
  return port < 1024 ? port + 8000 : port;
}

function schemeOf(name: string, port: number): 'http' | 'https' | undefined {
  if (port === 443 || name.startsWith('https')) return 'https';
  return port === 80 || name.startsWith('http') ? 'http' : undefined;
}

function webAddress(scheme: 'http' | 'https' | undefined, host: string, port: number): Pick<Address, 'address' | 'url'> {
  const place = inUrl(host);
  if (scheme === undefined) return { address: `${place}:${port}` };
  const url = `${scheme}://${place}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}/`;
  return { address: url, url };
}

/** RFC 3986, section 3.2.2: an IPv6 address stands in brackets. */
function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Where a load balancer or an Ingress controller says that it listens. */
function balancersOf(status: unknown): string[] {
  return listAt(status, 'loadBalancer', 'ingress')
    .flatMap((one) => [textAt(one, 'hostname') ?? textAt(one, 'ip') ?? ''])
    .filter((host) => HOST.test(host));
}

/** https://kubernetes.io/docs/concepts/services-networking/ingress/ */
function ofIngress({ metadata, spec, status }: KubeObject): Address[] {
  const certified = listAt(spec, 'tls').flatMap((one) => listAt(one, 'hosts'));
  const hasTls = listAt(spec, 'tls').length > 0;
  const rules = listAt(spec, 'rules').filter((rule) => isObject(rule));
  return (rules.length === 0 ? [{}] : rules).flatMap((rule) => {
    const host = textAt(rule, 'host');
    const hosts = host === undefined ? balancersOf(status) : [host].filter((one) => HOST.test(one));
    const isSecure = host === undefined ? hasTls : certified.includes(host) || (hasTls && certified.length === 0);
    const paths = listAt(rule, 'http', 'paths').map((path) => textAt(path, 'path') ?? '/');
    return hosts.flatMap((one) =>
      webPages({ kind: 'Ingress', name: metadata.name }, { scheme: isSecure ? 'https' : 'http', host: one, paths }),
    );
  });
}

/** https://gateway-api.sigs.k8s.io/api-types/httproute/ The Gateway says by its listeners whether it is https, if it can be seen. */
function ofRoute({ metadata, spec }: KubeObject, gateways: ReadonlyMap<string, KubeObject>): Address[] {
  const isSecure = listAt(spec, 'parentRefs').some((parent) => {
    const gateway = gateways.get(`${textAt(parent, 'namespace') ?? metadata.namespace ?? ''}/${textAt(parent, 'name') ?? ''}`);
    const section = textAt(parent, 'sectionName');
    const listeners = listAt(gateway?.spec, 'listeners').filter((one) => section === undefined || textAt(one, 'name') === section);
    return listeners.some((one) => textAt(one, 'protocol') === 'HTTPS');
  });
  const paths = listAt(spec, 'rules').flatMap((rule) =>
    listAt(rule, 'matches').flatMap((match) =>
      textAt(match, 'path', 'type') === 'RegularExpression' ? [] : [textAt(match, 'path', 'value') ?? '/'],
    ),
  );
  return listAt(spec, 'hostnames')
    .filter((host) => typeof host === 'string' && HOST.test(host))
    .flatMap((host) =>
      webPages({ kind: 'HTTPRoute', name: metadata.name }, { scheme: isSecure ? 'https' : 'http', host: String(host), paths }),
    );
}

function webPages(
  source: Pick<Address, 'kind' | 'name'>,
  { scheme, host, paths }: { readonly scheme: 'http' | 'https'; readonly host: string; readonly paths: readonly string[] },
): Address[] {
  const plain = paths.filter((path) => PATH.test(path));
  return (plain.length === 0 ? ['/'] : [...new Set(plain)]).map((path) => {
    const url = `${scheme}://${inUrl(host)}${path}`;
    return { ...source, scope: 'External', address: url, url };
  });
}
