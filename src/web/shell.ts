import type { Me } from './ports.ts';

/** What the frame of a page shows around it. */
export interface Shell {
  readonly nav: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  /** Absent while nobody is signed in. */
  readonly account?: { readonly name: string; readonly initial: string; readonly user: string; readonly groups: readonly string[] };
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
export type Section = 'catalog' | 'environments' | 'operators' | 'faults' | 'none';

/** The frame for somebody, or for nobody. The admin's ways are there for admins only. */
export function shellOf(me: Me | undefined, section: Section): Shell {
  if (me === undefined) return { nav: [] };
  const links = [
    { label: 'Catalogue', href: '/', section: 'catalog' },
    { label: 'Environments', href: '/environments', section: 'environments' },
    ...(me.admin ? ADMIN_LINKS : []),
  ];
  return {
    nav: links.map((link) => ({ label: link.label, href: link.href, current: link.section === section })),
    account: { name: me.name, initial: initialOf(me.name), user: me.user, groups: me.groups },
  };
}

const ADMIN_LINKS = [
  { label: 'Operators', href: '/operators', section: 'operators' },
  { label: 'Catalogue faults', href: '/catalog/faults', section: 'faults' },
];

function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase();
}
