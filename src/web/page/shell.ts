import {
  ACCESS_REVIEW_PATH,
  ACCESS_TOKENS_PATH,
  ALL_ACCESS_TOKENS_PATH,
  APP_DEFINITIONS_PATH,
  KUBECTL_PATH,
  PERMISSIONS_PATH,
  REGISTRATION_TOKENS_PATH,
} from './paths.ts';

/** Who is signed in, and whether the admin pages are theirs. */
export interface Me {
  readonly user: string;
  readonly groups: readonly string[];
  /** How people call them; the user name when the issuer tells no better one. */
  readonly name: string;
  readonly admin: boolean;
  /** How many change requests wait for them. */
  readonly waiting?: number;
  /** A sentence about this process, for admins. */
  readonly notice?: string;
}

/** What the frame of a page shows around it. */
export interface Shell {
  /** Above every page. */
  readonly notice?: string;
  readonly nav: readonly { readonly label: string; readonly href: string; readonly current: boolean; readonly count?: number }[];
  /** Absent while nobody is signed in. */
  readonly account?: {
    readonly name: string;
    readonly initial: string;
    readonly user: string;
    readonly groups: readonly string[];
    readonly links: readonly { readonly label: string; readonly href: string }[];
  };
}

export interface Crumb {
  readonly label: string;
  /** Absent for the page itself. */
  readonly href?: string;
}

/** What every view model of a page has. */
export interface PageFrame {
  readonly title: string;
  readonly shell: Shell;
  readonly crumbs?: readonly Crumb[];
}

/** The part of the navigation that a page belongs to. */
export type Section =
  'catalog' | 'environments' | 'changeRequests' | 'operators' | 'appDefinitions' | 'sources' | 'releases' | 'drafts' | 'faults' | 'none';

/** The frame for somebody, or for nobody. The admin's ways are there for admins only. */
export function shellOf(me: Me | undefined, section: Section): Shell {
  if (me === undefined) return { nav: [] };
  const links: readonly Link[] = [
    { label: 'Catalogue', href: '/', section: 'catalog' },
    { label: 'Environments', href: '/environments', section: 'environments' },
    { label: 'Requests', href: '/change-requests', section: 'changeRequests', count: me.waiting ?? 0 },
    ...(me.admin ? ADMIN_LINKS : []),
  ];
  return {
    ...(me.notice === undefined ? {} : { notice: me.notice }),
    nav: links.map(({ label, href, section: own, count = 0 }) => ({
      label,
      href,
      current: own === section,
      ...(count === 0 ? {} : { count }),
    })),
    account: {
      name: me.name,
      initial: initialOf(me.name),
      user: me.user,
      groups: me.groups,
      links: [
        { label: 'My permissions', href: PERMISSIONS_PATH },
        { label: 'Use kubectl', href: KUBECTL_PATH },
        { label: 'Personal access tokens', href: ACCESS_TOKENS_PATH },
        ...(me.admin ? ADMIN_ACCOUNT_LINKS : []),
      ],
    },
  };
}

interface Link {
  readonly label: string;
  readonly href: string;
  readonly section: Section;
  /** How many wait there. */
  readonly count?: number;
}

const ADMIN_LINKS: readonly Link[] = [
  { label: 'Operators', href: '/operators', section: 'operators' },
  { label: 'App definitions', href: APP_DEFINITIONS_PATH, section: 'appDefinitions' },
  { label: 'Sources', href: '/sources', section: 'sources' },
  { label: 'Releases', href: '/releases', section: 'releases' },
  { label: 'Drafts', href: '/catalog/drafts', section: 'drafts' },
  { label: 'Catalogue faults', href: '/catalog/faults', section: 'faults' },
];

const ADMIN_ACCOUNT_LINKS = [
  { label: 'Audit log', href: '/admin/audit-log' },
  { label: 'Access review', href: ACCESS_REVIEW_PATH },
  { label: 'Access tokens', href: ALL_ACCESS_TOKENS_PATH },
  { label: 'Registration tokens', href: REGISTRATION_TOKENS_PATH },
];

function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase();
}
