export interface SamplePage {
  readonly path: string;
  /** The session; empty: nobody is signed in. */
  readonly who: '' | 'dev-a' | 'admin';
  readonly status: number;
  readonly title: string;
  readonly holds: readonly string[];
}

export function page(path: string, who: SamplePage['who'], rest: Partial<SamplePage> & { readonly title: string }): SamplePage {
  return { path, who, status: 200, holds: [], ...rest };
}
