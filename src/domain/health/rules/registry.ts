import type { HealthRule, HealthRules } from './rule.ts';
import { configConnector } from './cloud/config-connector.ts';
import { crossplane } from './cloud/crossplane.ts';
import { kubernetes } from './kubernetes/kubernetes.ts';
import { humio } from './observability/humio.ts';
import { certManager } from './security/cert-manager.ts';
import { kruise } from './workloads/kruise.ts';

/** Every rule, a file a product. */
const FILES: readonly HealthRules[] = [kubernetes, certManager, configConnector, crossplane, humio, kruise];

const RULES: ReadonlyMap<string, HealthRule> = new Map(FILES.flatMap((rules) => Object.entries(rules)));

/** The rule of a kind: by its own name, then by its group, then by ever shorter ends of its group. */
export function ruleFor(group: string, kind: string): HealthRule | undefined {
  const own = group === '' ? 'v1' : group;
  const labels = own.split('.').slice(0, MOST_LABELS);
  const groups = [
    own,
    ...labels.map(
      (_, index) =>
        `*.${own
          .split('.')
          .slice(index + 1)
          .join('.')}`,
    ),
  ];
  const key = groups.flatMap((name) => [`${name}/${kind}`, `${name}/*`]).find((name) => RULES.has(name));
  return key === undefined ? undefined : RULES.get(key);
}

/** Of the name of a group; foreign text has no bound of its own. */
const MOST_LABELS = 12;
