import { isObject, listAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { ReleaseHook } from '../operator/release.ts';
import type { ReleaseName } from '../tree/release-members.ts';
import { claimsLeft, ownedBelow } from './deletion-findings.ts';
import type { Finding, Findings } from './findings.ts';

/** A release that is about to be uninstalled, and what stands around it. */
export interface ReleaseToRemove {
  readonly root: KubeObject;
  readonly release: ReleaseName;
  /** Its objects as they are live. */
  readonly members: readonly KubeObject[];
  readonly hooks: readonly ReleaseHook[];
  /** The account that uninstalls it. */
  readonly deployer: string;
  /** All that was read of the namespace. */
  readonly objects: readonly KubeObject[];
  /** The namespace that is dedicated to the root, and goes with all that is in it. */
  readonly dedicated?: string;
}

export interface ReleaseRemoval {
  /** What goes with the release, owned objects included. */
  readonly goes: readonly KubeObject[];
  readonly findings: Pick<Findings, 'created' | 'removed' | 'warned'>;
}

const KEEP = 'helm.sh/resource-policy';
const RELEASE_LABEL = 'app.kubernetes.io/instance';
const CLAIM = 'PersistentVolumeClaim';
const DELETION = ['pre-delete', 'post-delete'];

/** What `helm uninstall` takes with it, which hooks it runs, and what it leaves: kept objects, those of hooks, and what only refers to the release. */
export function releaseRemoval({ root, release, members, hooks, deployer, objects, dedicated }: ReleaseToRemove): ReleaseRemoval {
  const isLeft = ({ metadata }: KubeObject): boolean => dedicated === undefined || metadata.namespace !== dedicated;
  const kept = members.filter((object) => object.metadata.annotations?.[KEEP] === 'keep' && isLeft(object));
  const own = members.filter((object) => !kept.includes(object));
  const goes = [...own, ...ownedBelow([root, ...own], objects).filter((object) => !members.includes(object))];
  const ofHooks = objects.filter((object) => isFree(object) && isLeft(object) && hooks.some((hook) => isOfHook(hook, object)));
  const known = new Set([root, ...members, ...goes, ...ofHooks, ...claimsLeft(goes, objects)]);
  const labelled = objects.filter((object) => isFree(object) && isLeft(object) && !known.has(object) && isLabelled(object, release));
  const running = hooks.filter(({ events }) => events.some((event) => DELETION.includes(event)));
  return {
    goes,
    findings: {
      created: running.map(({ kind, name, events }) => line(`${kind} ${name}, a ${events.join(' and ')} hook`)),
      removed: [line(`Helm release ${release.name} with its history, uninstalled as ${deployer}`)],
      warned: [
        ...kept.map((object) => stays(object, `it has the annotation ${KEEP}: keep`)),
        ...ofHooks.map((object) => stays(object, 'a hook made it, and Helm does not delete what hooks made')),
        ...labelled.map((object) => ({
          ...stays(object, `it is labelled as part of the release, and is not`),
          evidence: 'estimate' as const,
        })),
        ...referred(root),
      ],
    },
  };
}

/** Made by nobody who would delete it. */
function isFree({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

function isOfHook({ kind, name, deletePolicies }: ReleaseHook, object: KubeObject): boolean {
  return object.kind === kind && object.metadata.name === name && !deletePolicies.includes('hook-succeeded');
}

/** Helm's own records carry other labels. */
function isLabelled({ metadata }: KubeObject, { name }: ReleaseName): boolean {
  return metadata.labels?.[RELEASE_LABEL] === name;
}

/** What the values come from is not the release's. */
function referred({ spec }: KubeObject): Finding[] {
  return listAt(spec, 'valuesFrom')
    .filter((from) => isObject(from))
    .map((from) => line(`${textAt(from, 'kind') ?? ''} ${textAt(from, 'name') ?? ''} stays: spec.valuesFrom refers to it`));
}

function stays({ kind, metadata }: KubeObject, why: string): Finding {
  const message = `${kind} ${metadata.name} stays${kind === CLAIM ? ' with its data' : ''}: ${why}`;
  return { message, subject: kind === CLAIM ? 'Data' : 'Object', evidence: 'exact' };
}

function line(message: string): Finding {
  return { message, subject: 'Object', evidence: 'exact' };
}
