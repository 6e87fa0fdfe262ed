import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appIcon } from '../../../../src/web/app/app-card.ts';
import { pictureAddress } from '../../../../src/web/page/picture-address.ts';
import { catalogPage, parseAppQuery } from '../../../../src/web/app/catalog-page.ts';
import type { AppList } from '../../../../src/operation/app/list-apps.ts';
import { SAMPLE_APPS } from '../../../support/sample-apps.ts';

const DEVELOPER = { admin: false, drafts: 0 } as const;
const LIST: AppList = {
  apps: SAMPLE_APPS,
  facets: { category: [{ value: 'Caches & more', count: 1 }], provider: [{ value: 'Platform team', count: 2 }], availability: [] },
  total: 4,
};
const NO_QUERY = parseAppQuery(new URLSearchParams());

test('an address becomes a query, and availabilities that do not exist are left out', () => {
  const query = parseAppQuery(new URLSearchParams('search=%20sql%20&category=A&category=B&availability=Available&availability=Broken'));
  assert.deepEqual(query, { search: 'sql', category: ['A', 'B'], provider: [], availability: ['Available'] });
});

test('a facet is a link that turns its value on and keeps the rest of the address', () => {
  const page = catalogPage(LIST, parseAppQuery(new URLSearchParams('search=sql&provider=X')), DEVELOPER);
  const [option] = page.facets[0]?.options ?? [];
  assert.equal(option?.href, '/?search=sql&category=Caches+%26+more&provider=X');
  assert.equal(option?.selected, false);
});

test('a selected facet is a link that turns it off, also when the search leaves nothing of it', () => {
  const page = catalogPage(LIST, parseAppQuery(new URLSearchParams('provider=Gone')), DEVELOPER);
  const option = page.facets[1]?.options.find(({ label }) => label === 'Gone');
  assert.deepEqual(option, { label: 'Gone', count: 0, selected: true, href: '/' });
});

test('facets without values are not shown', () => {
  assert.deepEqual(
    catalogPage(LIST, NO_QUERY, DEVELOPER).facets.map(({ label }) => label),
    ['Category', 'Provider'],
  );
});

test('an empty catalogue and a search without a match are different things', () => {
  const none = { ...LIST, apps: [] };
  assert.equal(catalogPage({ ...none, total: 0 }, NO_QUERY, DEVELOPER).empty, 'no-apps');
  assert.equal(catalogPage(none, NO_QUERY, DEVELOPER).empty, 'no-match');
  assert.equal(catalogPage(LIST, NO_QUERY, DEVELOPER).empty, 'no');
});

test('a card says why its app cannot be installed', () => {
  const messages = catalogPage(LIST, NO_QUERY, DEVELOPER).cards.map((card) => card.message);
  assert.deepEqual(messages.slice(0, 3), ['', '', 'Its Operator is being installed.']);
});

test('only https addresses, served by us, and image data addresses become pictures', () => {
  const iconOf = (icon: string): string | undefined => appIcon({ id: 'x', displayName: 'Ünicorn', icon }).src;
  assert.equal(iconOf('https://a.test/x.png'), pictureAddress('https://a.test/x.png'));
  assert.equal(iconOf('http://a.test/x.png'), undefined);
  assert.equal(iconOf('data:image/png;base64,AA'), 'data:image/png;base64,AA');
  assert.equal(iconOf('javascript:alert(1)'), undefined);
  assert.equal(iconOf('data:text/html,x'), undefined);
  assert.equal(appIcon({ id: 'x', displayName: 'ünicorn' }).initial, 'Ü');
});
