import { planAt, type PlanTable, type SharedPlan } from '../domain/change-request/change-request.ts';

/** The part of a file that plans are in. */
export interface PlanData {
  readonly plans: Record<string, SharedPlan>;
}

interface PlanFile {
  readonly data: PlanData;
  write(): Promise<void>;
}

/** How long a plan can still be looked at after its time. */
const KEPT_MS = 14 * 24 * 3_600_000;

/** The plans of one machine. Old ones go whenever one is added. */
export function plansOf(low: PlanFile, clock: () => number): PlanTable {
  const all = (): SharedPlan[] => Object.values(low.data.plans).map((plan) => planAt(plan, clock()));
  const find = (id: string): SharedPlan | undefined => {
    const plan = Object.hasOwn(low.data.plans, id) ? low.data.plans[id] : undefined;
    return plan === undefined ? undefined : planAt(plan, clock());
  };
  return {
    get: async (id) => structuredClone(find(id)),
    list: async () => all().sort((a, b) => b.created.localeCompare(a.created) || a.id.localeCompare(b.id)),
    add: async (plan, { ofPerson, ofAll, ended }) => {
      sweepPlans(low.data, clock());
      const open = all().filter(({ state }) => state === 'open');
      if (open.length >= ofAll) return 'ofAll';
      if (open.filter(({ requester }) => requester.user === plan.requester.user).length >= ofPerson) return 'ofPerson';
      forgetEnded(low.data, plan.requester.user, { most: ended, now: clock() });
      low.data.plans[plan.id] = structuredClone(plan);
      await low.write();
      return 'added';
    },
    decide: async (id, decision, late) => {
      const plan = find(id);
      if (plan === undefined || (plan.state !== 'open' && late === undefined)) return false;
      low.data.plans[id] = { ...plan, ...decision };
      await low.write();
      return true;
    },
  };
}

/** Whoever asks and withdraws again and again must not fill the store. */
function forgetEnded(data: PlanData, user: string, { most, now }: { readonly most: number; readonly now: number }): void {
  const ended = Object.values(data.plans).filter((plan) => plan.requester.user === user && planAt(plan, now).state !== 'open');
  const old = ended.toSorted((a, b) => b.created.localeCompare(a.created)).slice(most);
  for (const { id } of old) delete data.plans[id];
}

/** Forgets the plans whose time has been over for two weeks. */
export function sweepPlans(data: PlanData, now: number): void {
  for (const [id, plan] of Object.entries(data.plans)) {
    if (Date.parse(plan.expires) + KEPT_MS <= now) delete data.plans[id];
  }
}
