import { at, listAt, numberAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { conditionsIn, type ForeignCondition } from './conditions.ts';
import {
  condition,
  degraded,
  healthy,
  lineFor,
  otherwise,
  progressing,
  type HealthLine,
  type HealthRule,
  type HealthRules,
} from './rule.ts';

/** What its parents say of a route (gateway-api.sigs.k8s.io): what a parent has seen of an older generation is left aside while another is up to date. */
export const parentsHealth = judged({ list: 'parents', ref: 'parentRef', name: 'Parent', isStaleWaiting: false });

/** The same of a policy, which every ancestor has to have seen. */
export const ancestorsHealth = judged({ list: 'ancestors', ref: 'ancestorRef', name: 'Ancestor', isStaleWaiting: true });

/** Without a controller, or an address of its own, no Gateway and no route gets further; kstatus counts them as done, too. */
const unprogrammed = lineFor('Healthy', 'Address');

const ROUTE: HealthRule = [parentsHealth, unprogrammed(otherwise, 'No gateway has accepted the {kind} yet')];
const POLICY: HealthRule = [ancestorsHealth, progressing(otherwise, 'Waiting for {kind} status')];

export const gatewayApi: HealthRules = {
  'gateway.networking.k8s.io/GatewayClass': [
    healthy(condition('Accepted')),
    degraded(condition('Accepted', 'False')),
    progressing(otherwise, 'Waiting for a controller to accept the class'),
  ],
  'gateway.networking.k8s.io/Gateway': [
    degraded(condition('Accepted', 'False')),
    degraded(condition('ResolvedRefs', 'False')),
    brokenListener,
    unprogrammed(condition('Programmed', ['False', 'Unknown'], ['AddressNotAssigned', 'Pending'])),
    degraded(condition('Programmed', 'False')),
    healthy(condition('Programmed')),
    unprogrammed(otherwise, 'The gateway has no address yet'),
  ],
  'gateway.networking.k8s.io/HTTPRoute': ROUTE,
  'gateway.networking.k8s.io/GRPCRoute': ROUTE,
  'gateway.networking.k8s.io/TLSRoute': ROUTE,
  'gateway.networking.k8s.io/TCPRoute': ROUTE,
  'gateway.networking.k8s.io/UDPRoute': ROUTE,
  'gateway.networking.k8s.io/BackendTLSPolicy': POLICY,
};

interface Judges {
  readonly list: 'parents' | 'ancestors';
  readonly ref: 'parentRef' | 'ancestorRef';
  readonly name: string;
  readonly isStaleWaiting: boolean;
}

interface Verdict {
  readonly by: string;
  readonly condition: ForeignCondition;
  readonly isStale: boolean;
}

const MAX_CONTROLLERS = 50;

/** Undefined while nobody has judged. */
function judged(judges: Judges): HealthLine {
  return (object) => {
    const verdicts = verdictsOf(object, judges);
    const [first] = verdicts;
    if (first === undefined) return undefined;
    const stale = verdicts.find(({ isStale }) => isStale);
    const current = verdicts.filter(({ isStale }) => !isStale);
    if (stale !== undefined && (judges.isStaleWaiting || current.length === 0)) {
      return { status: 'Progressing', message: `Waiting for ${judges.name} ${stale.by} to update ${object.kind} status` };
    }
    const said = ({ by, condition }: Verdict): string => `${judges.name} ${by}: ${condition.message}`;
    const rejected = current.find(({ condition }) => isFalse(condition, ['Accepted', 'ResolvedRefs']));
    if (rejected !== undefined) return { status: 'Degraded', message: said(rejected) };
    const waiting = current.find(({ condition }) => isFalse(condition, ['Programmed']));
    if (waiting !== undefined) return { status: 'Progressing', message: said(waiting) };
    return { status: 'Healthy', message: `${object.kind} is healthy` };
  };
}

function verdictsOf({ metadata, status }: KubeObject, { list, ref }: Judges): Verdict[] {
  const generation = numberAt(metadata, 'generation');
  return listAt(status, list)
    .slice(0, MAX_CONTROLLERS)
    .flatMap((judge) => {
      const by = textAt(judge, ref, 'name') ?? '';
      return conditionsIn(at(judge, 'conditions')).map((condition) => {
        const { observedGeneration } = condition;
        return {
          by,
          condition,
          isStale: generation !== undefined && observedGeneration !== undefined && observedGeneration !== generation,
        };
      });
    });
}

function isFalse({ type, status }: ForeignCondition, types: readonly string[]): boolean {
  return status === 'False' && types.includes(type);
}

/** A listener without its certificate, or with the port of another one, while the Gateway itself is programmed. */
function brokenListener({ status }: KubeObject): Health | undefined {
  for (const listener of listAt(status, 'listeners').slice(0, MAX_LISTENERS)) {
    const broken = conditionsIn(at(listener, 'conditions')).find((item) => isFalse(item, ['Accepted', 'ResolvedRefs']));
    if (broken !== undefined) return { status: 'Degraded', message: `Listener ${textAt(listener, 'name') ?? ''}: ${broken.message}` };
  }
  return undefined;
}

const MAX_LISTENERS = 64;
