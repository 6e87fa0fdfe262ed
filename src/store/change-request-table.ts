import { requestAt, type ChangeRequestTable, type ChangeRequest } from '../domain/change-request/change-request.ts';

/** The part of a file that change requests are in. */
export interface ChangeRequestData {
  readonly changeRequests: Record<string, ChangeRequest>;
}

interface ChangeRequestFile {
  readonly data: ChangeRequestData;
  write(): Promise<void>;
}

/** How long a change request can still be looked at after its time. */
const KEPT_MS = 14 * 24 * 3_600_000;

/** The change requests of one machine. Old ones go whenever one is added. */
export function changeRequestsOf(low: ChangeRequestFile, clock: () => number): ChangeRequestTable {
  const all = (): ChangeRequest[] => Object.values(low.data.changeRequests).map((changeRequest) => requestAt(changeRequest, clock()));
  const find = (id: string): ChangeRequest | undefined => {
    const changeRequest = Object.hasOwn(low.data.changeRequests, id) ? low.data.changeRequests[id] : undefined;
    return changeRequest === undefined ? undefined : requestAt(changeRequest, clock());
  };
  return {
    get: async (id) => structuredClone(find(id)),
    list: async () => all().sort((a, b) => b.created.localeCompare(a.created) || a.id.localeCompare(b.id)),
    add: async (changeRequest, { ofPerson, ofAll, ended }) => {
      sweepChangeRequests(low.data, clock());
      const open = all().filter(({ state }) => state === 'open');
      if (open.length >= ofAll) return 'ofAll';
      if (open.filter(({ requester }) => requester.user === changeRequest.requester.user).length >= ofPerson) return 'ofPerson';
      forgetEnded(low.data, changeRequest.requester.user, { most: ended, now: clock() });
      low.data.changeRequests[changeRequest.id] = structuredClone(changeRequest);
      await low.write();
      return 'added';
    },
    decide: async (id, decision, late) => {
      const changeRequest = find(id);
      if (changeRequest === undefined || (changeRequest.state !== 'open' && late === undefined)) return false;
      low.data.changeRequests[id] = { ...changeRequest, ...decision };
      await low.write();
      return true;
    },
  };
}

/** Whoever asks and withdraws again and again must not fill the store. */
function forgetEnded(data: ChangeRequestData, user: string, { most, now }: { readonly most: number; readonly now: number }): void {
  const ended = Object.values(data.changeRequests).filter(
    (changeRequest) => changeRequest.requester.user === user && requestAt(changeRequest, now).state !== 'open',
  );
  const old = ended.toSorted((a, b) => b.created.localeCompare(a.created)).slice(most);
  for (const { id } of old) delete data.changeRequests[id];
}

/** Forgets the change requests whose time has been over for two weeks. */
export function sweepChangeRequests(data: ChangeRequestData, now: number): void {
  for (const [id, changeRequest] of Object.entries(data.changeRequests)) {
    if (Date.parse(changeRequest.expires) + KEPT_MS <= now) delete data.changeRequests[id];
  }
}
