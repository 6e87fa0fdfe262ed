import { numberAt, objectAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { absent, either, healthy, otherwise, progressing, type HealthRules } from '../rule.ts';

/** Rook Cassandra: members are counted by rack, under names that the user chose. */
export const cassandra: HealthRules = {
  'cassandra.rook.io/Cluster': [
    progressing(either(absent('status.racks'), incomplete), 'Waiting for Cassandra Cluster'),
    healthy(otherwise),
  ],
};

function incomplete({ status }: KubeObject): string | undefined {
  const racks = Object.values(objectAt(status, 'racks'));
  return racks.some((rack) => (numberAt(rack, 'readyMembers') ?? 0) < (numberAt(rack, 'members') ?? 0)) ? '' : undefined;
}
