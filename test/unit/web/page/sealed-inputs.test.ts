import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import { createFormSeal } from '../../../../src/web/page/sealed-inputs.ts';
import { sampleSeal } from '../../../support/sample-seal.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import type { InstanceDraft } from '../../../../src/operation/instance/instance-draft.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const INSTALL = `/apps/${POSTGRES}/install`;
const EDIT = `/environments/team-a/instances/${POSTGRES}/orders/edit`;
const PASSWORD = 'Tr0ub4dor-and-3';

const [orders] = sampleInstances('team-a') as readonly [InstanceView];
const written: (InstanceDraft | InstanceChange)[] = [];
const write = async (_actor: unknown, draft: InstanceDraft | InstanceChange): Promise<InstanceView> => {
  written.push(draft);
  return await Promise.resolve(orders);
};
let web: SampleWeb;
before(async () => {
  web = await startSampleWeb({ createInstance: write, updateInstance: write });
});
after(async () => web.stop());

type Inputs = readonly (readonly [string, string])[];

async function send(path: string, { form, person = 'dev-a' }: { readonly form?: Inputs; readonly person?: string }): Promise<Response> {
  const headers = { Cookie: `chandlery=${person}`, Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const body =
    form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])) };
  return await fetch(web.url + path, { ...body, redirect: 'manual', headers });
}

/** The hidden inputs of a page, as its form sends them. */
function hiddenIn(html: string): Inputs {
  return [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)" ?\/?>/g)].map(([, name = '', value = '']) => [
    name,
    value.replaceAll('&quot;', '"'),
  ]);
}

const FORM: Inputs = Object.entries({ environment: 'team-a', name: 'orders', preset: 'production', 'v.spec.password': PASSWORD });

for (const step of ['review', 'keep']) {
  test(`A password that was typed stands in no hidden input of the page "${step}", and comes back from it to its author alone`, async () => {
    const html = await (await send(INSTALL, { form: [...FORM, ['_do', step]] })).text();
    const hidden = hiddenIn(html);
    assert.doesNotMatch(JSON.stringify(hidden), /Tr0ub4dor|spec\.password/);
    const form = await (await send(INSTALL, { form: [...hidden, ['_do', 'edit']] })).text();
    assert.match(form, /<input type="hidden" name="preset" value="production">/);
    assert.equal((await send(INSTALL, { form: [...hidden, ['_do', 'install']] })).status, 303);
    assert.equal(written.at(-1)?.spec['password'], PASSWORD);
    const before = written.length;
    assert.equal((await send(INSTALL, { form: [...hidden, ['_do', 'install']], person: 'admin' })).status, 400);
    assert.equal(written.length, before);
  });
}

describe('a password in a form that is shown again after a fault', () => {
  const again = async (form: Inputs): Promise<{ html: string; hidden: Inputs }> => {
    const html = await (await send(INSTALL, { form })).text();
    return { html, hidden: hiddenIn(html) };
  };
  const wrong: Inputs = FORM.map(([name, value]) => [name, name === 'name' ? 'Not A Name' : value]);
  const install = async (hidden: Inputs, password: string): Promise<unknown> => {
    const form: Inputs = [...hidden, ['environment', 'team-a'], ['name', 'orders'], ['v.spec.password', password], ['_do', 'install']];
    assert.equal((await send(INSTALL, { form })).status, 303);
    return written.at(-1)?.spec['password'];
  };

  it('is nowhere in the page, which says that it is kept, and is written with the next attempt', async () => {
    const { html, hidden } = await again([...wrong, ['_do', 'install']]);
    assert.doesNotMatch(html, /Tr0ub4dor/);
    assert.match(html, /A value was entered and is kept\. Enter another one to replace it\./);
    assert.equal(await install(hidden, ''), PASSWORD);
    assert.equal(await install(hidden, 'another-one'), 'another-one');
    const { html: third, hidden: carried } = await again([
      ...hidden,
      ...wrong.filter(([name]) => name !== 'v.spec.password'),
      ['_do', 'edit'],
    ]);
    assert.doesNotMatch(third, /Tr0ub4dor/);
    assert.equal(await install(carried, ''), PASSWORD);
  });

  it('is gone once its author removes it', async () => {
    const { html, hidden } = await again([...wrong, ['_do', 'install']]);
    assert.match(html, /name="_op" value="clear:spec\.password"/);
    const cleared = await again([
      ...hidden,
      ...wrong.map(([name, value]) => [name, name.startsWith('v.') ? '' : value] as const),
      ['_op', 'clear:spec.password'],
    ]);
    assert.doesNotMatch(cleared.html, /A value was entered/);
    assert.equal(await install(cleared.hidden, ''), undefined);
  });
});

test('A password of a change is sealed in its review, too', async () => {
  const seen = new Map(hiddenIn(await (await send(EDIT, {})).text())).get('seen') ?? '';
  const typed: Inputs = Object.entries({ seen, 'v.spec.instances': '5', 'v.spec.storage.size': '10Gi', 'v.spec.password': PASSWORD });
  const hidden = hiddenIn(await (await send(EDIT, { form: [...typed, ['_do', 'review']] })).text());
  assert.doesNotMatch(JSON.stringify(hidden), /Tr0ub4dor|spec\.password/);
  const before = written.length;
  assert.equal((await send(EDIT, { form: [...hidden, ['_do', 'save']] })).status, 303);
  assert.equal(written.length, before + 1);
  assert.equal(written.at(-1)?.spec['password'], PASSWORD);
});

test('What was sealed is opened by the same key within twelve hours, and not when a character of it changes', () => {
  let now = 1_800_000_000_000;
  const seal = createFormSeal(sampleSeal(), () => now);
  const [{ name, value } = { name: '', value: '' }] = seal.seal('anna', [{ name: 'v.a', value: 'b' }]);
  const open = (text: string, by = seal): string => by.unseal('anna', new URLSearchParams([[name, text]])).toString();
  const rejects = (act: () => unknown): void => assert.throws(act, (error) => isAppError(error, 'MalformedRequest'));
  assert.equal(open(value), 'v.a=b');
  for (const index of [0, 20, 40, value.length - 2]) {
    rejects(() => open(`${value.slice(0, index)}${value[index] === 'A' ? 'B' : 'A'}${value.slice(index + 1)}`));
  }
  rejects(() => open('AAAA'));
  rejects(() =>
    open(
      value,
      createFormSeal(sampleSeal(1), () => now),
    ),
  );
  now += 12 * 3_600_000 + 1;
  rejects(() => open(value));
});
