import type { Kube } from '../kube/kube.ts';
import { type Reflector, startMetadataReflector } from '../kube/watch/reflector.ts';
import type { Log } from '../observe/log.ts';
import { RECORDS } from '../reconcile/operator/memory/watched-types.ts';

interface WatchRecordsInput {
  readonly kube: Pick<Kube, 'asController'>;
  readonly log: Log;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Watches Helm's records of releases, for Operators and for instances alike. */
export function watchRecords({ kube, ...rest }: WatchRecordsInput): Reflector {
  return startMetadataReflector({ ...RECORDS, ...rest, cluster: kube.asController() });
}
