import type { JsonMap, LiveObject } from './kube-object.ts';
import type { ClaimGrowth, Observed } from './managed-kind.ts';
import { parseQuantity } from './quantity.ts';
import { listAt, textAt } from './read-json.ts';

export interface ClaimWish {
  readonly size: string;
  readonly storageClassName?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The claim template `data` of a StatefulSet. Templates are immutable, so an existing StatefulSet keeps the size it was made with, and
 * `claimGrowth` says what to change on the claims themselves.
 */
export function claimTemplate(wish: ClaimWish, existing: LiveObject | undefined): JsonMap {
  const made = listAt(existing?.spec, 'volumeClaimTemplates')[0];
  const size = made === undefined ? wish.size : textAt(made, 'spec', 'resources', 'requests', 'storage');
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', labels: wish.labels },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(wish.storageClassName === undefined ? {} : { storageClassName: wish.storageClassName }),
    },
  };
}

/** The claims that ask for less than is wanted. */
export function claimGrowth({ claims }: Observed, prefix: string, size: string): readonly ClaimGrowth[] {
  return claims
    .filter((claim) => claim.metadata.name.startsWith(prefix))
    .filter((claim) => parseQuantity(textAt(claim.spec, 'resources', 'requests', 'storage')) < parseQuantity(size))
    .map((claim) => ({ claim, size }))
    .sort((a, b) => a.claim.metadata.name.localeCompare(b.claim.metadata.name));
}
