import type { Emptiness } from '../../domain/tree/emptiness.ts';
import { emptySentence } from './message-page.ts';

/** Why a page has nothing to list, for `parts/empty`. */
export interface EmptyView {
  readonly title: string;
  readonly symbol: string;
  readonly message: string;
  readonly reason: Emptiness['reason'];
}

const EMPTY: Readonly<Record<Emptiness['reason'], Pick<EmptyView, 'title' | 'symbol'>>> = {
  NoPermission: { title: 'No permission', symbol: 'lock' },
  NothingInstalled: { title: 'Nothing installed yet', symbol: 'crate' },
  NoMatch: { title: 'No resource matches', symbol: 'compass' },
  NotServed: { title: 'Unknown kind', symbol: 'compass' },
};

/** @param titles in place of those about resources. */
export function emptyView(empty: Emptiness, titles: Partial<Record<Emptiness['reason'], string>> = {}): EmptyView {
  const { title, symbol } = EMPTY[empty.reason];
  return { title: titles[empty.reason] ?? title, symbol, reason: empty.reason, message: emptySentence(empty) };
}
