import { parseQuantity } from '../../src/domain/core/quantity.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { LiveObject } from './kube-object.ts';
import type { ClaimGrowth, Observed } from './managed-kind.ts';

export interface ClaimWish {
  readonly size: string;
  readonly storageClassName?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The claim template `data` of a StatefulSet. Templates are immutable, so an existing StatefulSet keeps the size it was made with, and
 * `claimGrowth` says what to change on the claims themselves.
 */
export function claimTemplate(wish: ClaimWish, existing: LiveObject | undefined): JsonObject {
  const made = listAt(existing?.spec, 'volumeClaimTemplates')[0];
  const size = textAt(made, 'spec', 'resources', 'requests', 'storage') ?? wish.size;
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
  const wanted = parseQuantity(size) ?? 0n;
  return claims
    .filter((claim) => claim.metadata.name.startsWith(prefix))
    .filter((claim) => (parseQuantity(textAt(claim.spec, 'resources', 'requests', 'storage')) ?? 0n) < wanted)
    .map((claim) => ({ claim, size }))
    .sort((a, b) => a.claim.metadata.name.localeCompare(b.claim.metadata.name));
}
