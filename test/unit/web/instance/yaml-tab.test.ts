import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { withoutAsking } from '../../../support/sample-audit-log.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import type { InstanceDraft } from '../../../../src/operation/instance/instance-draft.ts';
import type { Operations } from '../../../../src/operation/operations.ts';
import { submit, tagsOf } from '../../form/submit.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const INSTALL = `/apps/${POSTGRES}/install`;
const EDIT = `/environments/team-a/instances/${POSTGRES}/orders/edit`;
const [orders] = sampleInstances('team-a');
const created: InstanceDraft[] = [];
const webs: SampleWeb[] = [];
after(async () => Promise.all(webs.map(async (web) => web.stop())));

const TEXT = `# For the shop.
storage:
  size: 20Gi # was 5Gi
instances: 3
`;
const WHOLE = `apiVersion: samples.chandlery.dev/v1
kind: PostgresCluster
metadata: {name: shop, namespace: team-a, labels: {a: b}, ownerReferences: []}
spec:
  # Twice for the weekend.
  instances: 2
  storage: {size: 1Gi}
`;

interface Page {
  readonly status: number;
  readonly html: string;
  /** Fills inputs in and presses a button, as a browser without scripts does. */
  readonly press: (button: Readonly<Record<string, string>>, typed?: Readonly<Record<string, string>>) => Promise<Page>;
  readonly value: (name: string) => string | null;
}

async function open(path: string, overrides: Partial<Operations> = {}): Promise<Page> {
  const web = await startSampleWeb({
    createInstance: async (_actor, draft) => {
      created.push(withoutAsking(draft));
      return orders ?? assert.fail('there are no samples');
    },
    ...overrides,
  });
  webs.push(web);
  const headers = { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const read = async (response: Response): Promise<Page> => {
    const html = await response.text();
    const sent = submit(html);
    return {
      status: response.status,
      html,
      value: (name) => sent.get(name)?.replaceAll('\r\n', '\n') ?? null,
      press: async (button, typed = {}) => {
        const body = new URLSearchParams(sent);
        for (const [name, value] of Object.entries({ ...typed, ...button })) body.set(name, value);
        return await read(await fetch(web.url + path, { method: 'POST', body, headers, redirect: 'manual' }));
      },
    };
  };
  return await read(await fetch(web.url + path, { headers }));
}

const TO_YAML = { _op: 'yaml:' };
const TO_FORM = { _op: 'fields:' };

test('What was typed as YAML is a form, and YAML again with its comments and what was changed in the form', async () => {
  const yaml = await (await open(INSTALL)).press(TO_YAML, { name: 'shop' });
  assert.match(yaml.html, /aria-current="true">YAML/);
  const form = await yaml.press(TO_FORM, { 'y.': TEXT });
  assert.equal(form.value('v.spec.storage.size'), '20Gi');
  assert.equal(form.value('name'), 'shop');
  const again = await form.press(TO_YAML, { 'v.spec.storage.size': '30Gi' });
  assert.equal(again.value('y.'), TEXT.replace('20Gi', '30Gi'));
});

test('The comments survive other buttons, a review and the way back from it', async () => {
  const form = await (await (await open(INSTALL)).press(TO_YAML)).press(TO_FORM, { 'y.': TEXT });
  const searched = await form.press({ _op: 'search' }, { _q: 'class' });
  const review = await searched.press({ _do: 'review' }, { environment: 'team-a', name: 'shop' });
  assert.match(review.html, /A file for git, with your comments/);
  const [, file = ''] = /aria-label="A file for git, with your comments"><code>([^<]*)/.exec(review.html) ?? [];
  assert.match(file, /kind: PostgresCluster[\s\S]*# For the shop\.[\s\S]*size: 20Gi # was 5Gi/);
  const back = await review.press({ _do: 'edit' });
  assert.equal((await back.press(TO_YAML)).value('y.'), TEXT);
});

test('YAML that cannot be read stays as it was typed, with line and column, until it can', async () => {
  const broken = 'storage:\n  size: 20Gi\n size: [\n';
  for (const button of [TO_FORM, { _do: 'install' }]) {
    const page = await (await (await open(INSTALL)).press(TO_YAML)).press(button, { 'y.': broken, name: 'shop', environment: 'team-a' });
    assert.equal(page.status, 422);
    assert.equal(page.value('y.'), broken);
    assert.match(page.html, /href="#f">[^<]*Line 3, column \d+: /);
    assert.match(page.html, /<li value="3" class="excerpt__wrong"/);
    const mended = await page.press(TO_FORM, { 'y.': TEXT });
    assert.equal(mended.value('v.spec.storage.size'), '20Gi');
  }
});

test('Anchors are rejected with their line', async () => {
  const page = await (await (await open(INSTALL)).press(TO_YAML)).press(TO_FORM, { 'y.': 'a: &x 1\nb: *x\n' });
  assert.match(page.html, /Line 2, column 4: Aliases are not supported here/);
  assert.equal(page.value('y.'), 'a: &x 1\nb: *x\n');
});

test('A text that no field can hold is in the YAML as it was typed', async () => {
  const yaml = await (await open(INSTALL)).press(TO_YAML, { 'v.spec.instances': 'many' });
  assert.match(yaml.value('y.') ?? '', /instances: many/);
});

test('A fault of the cluster stands at its line', async () => {
  const page = await (
    await (await open(INSTALL)).press(TO_YAML)
  ).press({ _do: 'install' }, { 'y.': TEXT, name: 'wrong', environment: 'team-a' });
  assert.equal(page.status, 422);
  assert.match(page.html, /Line 3: storage\.size: must be a quantity such as 10Gi/);
  assert.match(page.html, /<li value="3" class="excerpt__wrong"/);
});

test('A whole resource is taken with its name and place, once it was seen what is left out', async () => {
  const yaml = await (await open(INSTALL)).press(TO_YAML);
  const review = await yaml.press({ _do: 'install' }, { 'y.': WHOLE });
  assert.equal(created.length, 0);
  assert.match(review.html, /Left out: <code>metadata\.ownerReferences<\/code>/);
  assert.equal((await review.press({ _do: 'install' })).status, 303);
  assert.deepEqual(created.pop(), {
    environment: 'team-a',
    app: POSTGRES,
    name: 'shop',
    spec: { instances: 2, storage: { size: '1Gi' } },
    otherFields: { metadata: { labels: { a: 'b' } } },
  });
});

test('The link to a form that holds a whole resource has its values and labels', async () => {
  const page = await (await (await open(INSTALL)).press(TO_YAML)).press({ _op: 'choices' }, { 'y.': WHOLE });
  assert.match(page.html, /install\?[^"]*v\.spec\.instances&#x3D;2[^"]*v\.metadata\.labels&#x3D;/);
});

test('A whole resource becomes a form, and its spec alone is changed by it', async () => {
  const form = await (await (await open(INSTALL)).press(TO_YAML)).press(TO_FORM, { 'y.': WHOLE });
  assert.equal(form.value('name'), 'shop');
  assert.equal(form.value('v.spec.instances'), '2');
  const again = await form.press(TO_YAML, { 'v.spec.instances': '4' });
  assert.equal(again.value('y.'), WHOLE.replace('instances: 2', 'instances: 4').replace('{size: 1Gi}', '{size: 1Gi}'));
});

test('A resource of another kind, and one of another name or namespace, are rejected with a sentence', async () => {
  const yaml = await (await open(INSTALL)).press(TO_YAML, { name: 'shop', environment: 'team-a' });
  const page = await yaml.press(TO_FORM, { 'y.': WHOLE.replace('PostgresCluster', 'Cache') });
  assert.match(page.html, /Line 2: This is a Cache, but this form is for a PostgresCluster/);
  const other = await yaml.press({ _do: 'install' }, { 'y.': WHOLE.replace('name: shop', 'name: bar').replace('team-a', 'team-x') });
  assert.match(other.html, /href="#name">The YAML has the name bar/);
  assert.match(other.html, /href="#environment">The YAML is for the namespace team-x/);
});

test('All other fields can be had as comments, once', async () => {
  const yaml = await (await open(INSTALL)).press(TO_YAML);
  const full = await yaml.press({ _op: 'skeleton:' }, { 'y.': TEXT });
  const text = full.value('y.') ?? '';
  assert.match(text, /^# For the shop\./);
  assert.match(text, /size: 20Gi # was 5Gi/);
  assert.ok(text.split('\n').filter((line) => line.startsWith('# ')).length > 5, text);
  assert.equal((await full.press({ _op: 'skeleton:' })).value('y.'), text);
  assert.equal((await full.press(TO_FORM)).value('v.spec.storage.size'), '20Gi');
});

test('Live values are YAML and come back, and a resource that is another one is rejected', async () => {
  const yaml = await (await open(EDIT)).press(TO_YAML);
  assert.match(yaml.value('y.') ?? '', /size: /);
  const form = await yaml.press(TO_FORM);
  assert.ok(form.value('v.spec.storage.size'));
  const other = await yaml.press({ _do: 'save' }, { 'y.': WHOLE });
  assert.match(other.html, /The YAML is for the name shop, but this form changes orders/);
  assert.ok(tagsOf(other.html).some(({ attributes }) => attributes.get('name') === 'y.'));
});
