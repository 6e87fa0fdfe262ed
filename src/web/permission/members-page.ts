import { Router } from 'express';
import type { BoundSubject } from '../../domain/permission/grants.ts';
import type { EnvironmentMembers, Member } from '../../operation/permission/list-members.ts';
import { type EnvironmentRow, environmentRow } from '../environment/environment-page.ts';
import { type EnvironmentTab, environmentTabs } from '../environment/environment-tabs.ts';
import type { Badge } from '../page/badges.ts';
import { missingSentence } from '../page/message-page.ts';
import { page, type WebDeps } from '../page/page.ts';
import { environmentMembersPath } from '../page/paths.ts';

/** A view of `environments/members`. */
export interface MembersPage {
  readonly environment: EnvironmentRow;
  readonly tabs: readonly EnvironmentTab[];
  readonly members: readonly MemberRow[];
  readonly recent: readonly { readonly user: string; readonly lastSeen: string }[];
  /** Whether the reader may read the audit log at all. */
  readonly knowsRecent: boolean;
  readonly missing: string;
  readonly jsonHref: string;
}

interface MemberRow {
  readonly kind: string;
  readonly name: string;
  readonly role: string;
  readonly origin: string;
  /** For a binding that Chandlery did not make. */
  readonly foreign?: Badge;
  readonly binding: string;
}

/** The tab Members of an environment. */
export function membersRoutes({ operations, ...deps }: WebDeps): Router {
  const router = Router();
  router.get(
    '/environments/:environment/members',
    page({ operations, ...deps }, async ({ actor, param }) => {
      const model = membersPage(await operations.listMembers(actor, param('environment')));
      const { href, displayName: label } = model.environment;
      const crumbs = [{ label: 'Environments', href: '/environments' }, { label, href }, { label: 'Members' }];
      return { view: 'environments/members', title: `Members of ${label}`, section: 'environments', crumbs, model };
    }),
  );
  return router;
}

function membersPage({ environment, members, recent, missing }: EnvironmentMembers): MembersPage {
  return {
    environment: environmentRow(environment),
    tabs: environmentTabs(environment.name, 'members'),
    members: members.map(memberRow),
    recent: recent ?? [],
    knowsRecent: recent !== undefined,
    missing: missing === undefined ? '' : missingSentence(missing),
    jsonHref: `/api/v1${environmentMembersPath(environment.name)}`,
  };
}

const ORIGINS: Readonly<Record<Member['origin'], string>> = {
  Group: 'spec.groups',
  Subject: 'spec.subjects',
  Project: 'spec.projects',
  ServiceAccount: 'spec.serviceAccounts',
  Other: '',
};

function memberRow({ subject, roleName, origin, managed, binding, bindingKind }: Member): MemberRow {
  return {
    kind: kindWords(subject),
    name: subjectName(subject),
    role: roleName,
    origin: ORIGINS[origin],
    ...(managed ? {} : { foreign: { label: 'Not made by Chandlery', tone: 'warn', symbol: 'warn' } }),
    binding: `${bindingKind} ${binding}`,
  };
}

/** `ci/deploy` for a ServiceAccount. */
export function subjectName({ name, namespace }: BoundSubject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The kind of a subject in a sentence. */
export function kindWords({ kind }: Pick<BoundSubject, 'kind'>): string {
  return kind === 'ServiceAccount' ? 'Service account' : kind;
}
