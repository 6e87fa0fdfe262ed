import { at, numberAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { RUN } from './rules/state-words.ts';

/** Where kinds whose objects run once say after how long they are removed, in seconds or as a duration. */
const TTL_FIELDS: readonly (readonly string[])[] = [
  ['ttlSecondsAfterFinished'],
  ['ttlSecondsAfterCompletion'],
  ['runPolicy', 'ttlSecondsAfterFinished'],
  ['timeToLiveSeconds'],
  ['ttlStrategy'],
  ['ttl'],
];

/**
 * Whether an object is removed by its own spec once it is done, so that its absence is no fault: a Job, or an object of a like kind, with a time to live after its end
 * (kubernetes.io, "Automatic Cleanup for Finished Jobs"); a Pod that is not started again, which the garbage collector of Pods removes ("Pod Lifecycle"); what
 * an annotation in common use has removed.
 */
export function isRemovedWhenFinished({ apiVersion, kind, metadata, spec }: KubeObject): boolean {
  if (kind === 'Pod' && apiVersion === 'v1') return (textAt(spec, 'restartPolicy') ?? 'Always') !== 'Always';
  if (textAt(metadata, 'annotations', 'cdi.kubevirt.io/storage.deleteAfterCompletion') === 'true') return true;
  if (textAt(spec, 'cleanup') === 'post' && parseApiVersion(apiVersion).group === 'k6.io') return true;
  return isRun(apiVersion, kind) && TTL_FIELDS.some((path) => isSet(spec, path));
}

function isRun(apiVersion: string, kind: string): boolean {
  return RUN.test(kind) || RUN_KINDS.includes(`${parseApiVersion(apiVersion).group}/${kind}`);
}

/** Kinds whose names do not tell that their objects run once. */
const RUN_KINDS = ['sparkoperator.k8s.io/SparkApplication', 'jobset.x-k8s.io/JobSet'];

function isSet(spec: unknown, path: readonly string[]): boolean {
  const value = at(spec, ...path);
  return numberAt(spec, ...path) !== undefined || (value !== undefined && value !== null && value !== '');
}
