import type { FormModel } from '../../form/model/form-node.ts';
import { formLink } from '../../form/input/form-link.ts';
import { formToValues } from '../../form/input/form-to-values.ts';
import { installPath } from '../page/paths.ts';

/** A view of `parts/form-link`: the address of a form as it is filled in, and what it leaves out. */
export interface InstallLink {
  readonly href: string;
  readonly secret: readonly string[];
  readonly left: readonly string[];
  /** How many more are left out than are named. */
  readonly more: number;
}

const MOST_NAMED = 12;

/** What the form holds, whether it is right or not; a value that is wrong is left out. */
export function installLink(
  app: string,
  model: FormModel,
  { environment, name, fields }: { readonly environment: string; readonly name: string; readonly fields: URLSearchParams },
): InstallLink {
  const { query, secret, left } = formLink(model, formToValues(model, fields, {}).values, { environment, name: name.slice(0, 63) });
  const href = query.size === 0 ? installPath(app) : `${installPath(app)}?${query.toString()}`;
  return { href, secret, left: left.slice(0, MOST_NAMED), more: Math.max(0, left.length - MOST_NAMED) };
}
