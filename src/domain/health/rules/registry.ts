import type { HealthRule, HealthRules } from './rule.ts';
import { kubernetes } from './kubernetes.ts';
import { cloud } from './cloud.ts';
import { clusters } from './clusters.ts';
import { databases } from './databases.ts';
import { delivery } from './delivery.ts';
import { promoter } from './promotion.ts';
import { messaging } from './messaging.ts';
import { gatewayApi } from './gateway-api.ts';
import { networking } from './networking.ts';
import { observability } from './observability.ts';
import { security } from './security.ts';
import { storage } from './storage.ts';
import { workloads } from './workloads.ts';
import { reportingKinds } from './reporting-kinds.ts';

/** Every rule, a file a subject. */
const FILES: readonly HealthRules[] = [
  kubernetes,
  gatewayApi,
  promoter,
  ...cloud,
  ...clusters,
  ...databases,
  ...delivery,
  ...messaging,
  ...networking,
  ...observability,
  ...security,
  ...storage,
  ...workloads,
  reportingKinds,
];

const RULES = tableOf(FILES);

/** Two rules for one kind are a mistake that would hide one of them. */
function tableOf(files: readonly HealthRules[]): ReadonlyMap<string, HealthRule> {
  const table = new Map<string, HealthRule>();
  for (const [key, rule] of files.flatMap((rules) => Object.entries(rules))) {
    if (table.has(key)) throw new Error(`two health rules for ${key}`);
    table.set(key, rule);
  }
  return table;
}

/** The rule of a kind: by its own name, then by its group, then by ever shorter ends of its group. */
export function ruleFor(group: string, kind: string): HealthRule | undefined {
  const own = group === '' ? 'v1' : group;
  let rule = ruleOf(own, kind);
  for (let dot = own.indexOf('.'), label = 0; rule === undefined && dot >= 0 && label < MOST_LABELS; dot = own.indexOf('.', dot + 1)) {
    rule = ruleOf(`*${own.slice(dot)}`, kind);
    label += 1;
  }
  return rule;
}

/** Of the name of a group; foreign text has no bound of its own. */
const MOST_LABELS = 12;

function ruleOf(group: string, kind: string): HealthRule | undefined {
  return RULES.get(`${group}/${kind}`) ?? RULES.get(`${group}/*`);
}
