import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { mintSafeHtml } from '../../../../src/web/page/safe-html.ts';
import { createViews, type Views } from '../../../../src/web/page/view-engine.ts';
import { plural } from '../../../../src/web/page/view-helpers.ts';
import { age, dateText } from '../../../../src/web/page/time-words.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

function viewsOf(t: TestContext, templates: Readonly<Record<string, string>>): Views {
  const folder = mkdtempSync(path.join(tmpdir(), 'views-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [file, source] of Object.entries(templates)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), source);
  }
  return createViews(folder, { asset: (file) => `/static/x/${file}`, now: () => NOW });
}

test('a page prints through its layout and parts, and what it prints is escaped', (t) => {
  const views = viewsOf(t, {
    'layout.hbs': '<main>{{> @partial-block}}</main>',
    'page.hbs': '{{#> layout}}{{> parts/name who="<b>"}}{{/layout}}',
    'parts/name/template.hbs': '<i>{{who}}</i>',
  });
  assert.deepEqual(views.names, ['layout', 'page', 'parts/name']);
  assert.equal(views.render('page', {}), '<main><i>&lt;b&gt;</i></main>');
});

test('a template that prints what the model does not have is an error, not a hole', (t) => {
  const views = viewsOf(t, { 'page.hbs': '{{title}}' });
  assert.throws(() => views.render('page', { tilte: 'x' }), /"title" not defined/);
});

test('a template cannot reach a prototype', (t) => {
  const views = viewsOf(t, { 'page.hbs': '{{constructor.name}}' });
  assert.throws(() => views.render('page', {}));
});

test('a template that does not compile stops the boot and says which one it is', (t) => {
  assert.throws(() => viewsOf(t, { 'parts/broken/template.hbs': '{{#if}}' }), /view "parts\/broken": the template does not compile/);
});

test('an unknown helper stops the boot', (t) => {
  assert.throws(() => viewsOf(t, { 'page.hbs': '{{shout name}}' }), /shout/);
});

test('only HTML that the sanitiser vouches for is printed as it is', (t) => {
  const views = viewsOf(t, { 'page.hbs': '{{html text}}' });
  assert.equal(views.render('page', { text: mintSafeHtml('<b>x</b>') }), '<b>x</b>');
  assert.throws(() => views.render('page', { text: { html: '<b>x</b>' } }), /only sanitised HTML/);
  assert.throws(() => views.render('page', { text: '<b>x</b>' }), /only sanitised HTML/);
});

const AGES: readonly (readonly [when: string, text: string, why: string])[] = [
  ['2026-01-01T23:59:48Z', '12 s', 'below a minute'],
  ['2026-01-01T23:55:00Z', '5 min', 'below an hour'],
  ['2026-01-01T21:00:00Z', '3 h', 'below a day'],
  ['2025-11-23T00:00:00Z', '40 d', 'days from then on'],
  ['2026-01-02T00:00:05Z', '0 s', 'clocks that differ a little'],
  ['not a time', 'unknown', 'what is no time'],
];
for (const [when, text, why] of AGES) {
  test(`the age of ${when} reads ${text}: ${why}`, () => assert.equal(age(when, NOW), text));
}

test('dates are shown in one form, in UTC', () => {
  assert.equal(dateText('2026-01-01T00:05:00Z'), '1 Jan 2026, 00:05 UTC');
  assert.equal(dateText('soon'), 'soon');
});

test('one is singular, everything else plural', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => plural(count, 'entry', 'entries')),
    ['0 entries', '1 entry', '2 entries'],
  );
});

test('the kinds of a count have their usual plural', (t) => {
  const views = viewsOf(t, { 'kinds.hbs': '{{#each kinds}}{{plural 2 this}}; {{/each}}' });
  const kinds = ['Environment', 'NetworkPolicy', 'Gateway', 'Ingress'];
  assert.equal(views.render('kinds', { kinds }), '2 Environments; 2 NetworkPolicies; 2 Gateways; 2 Ingresses; ');
});
