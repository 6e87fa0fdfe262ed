import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { InstanceView } from '../../../../src/domain/instance/instance.ts';
import type { ChangeRequestDraft } from '../../../../src/operation/change-request/create-change-request.ts';
import type { ChangeRequestView } from '../../../../src/operation/change-request/show-change-request.ts';
import type { InstanceChange } from '../../../../src/operation/instance/instance-change.ts';
import type { InstanceDraft } from '../../../../src/operation/instance/instance-draft.ts';
import type { Operations } from '../../../../src/operation/operations.ts';
import { sampleInstances } from '../../../support/sample-instances.ts';
import { withoutAsking } from '../../../support/sample-audit-log.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';
import { linkTo, textOf } from '../../../support/read-page.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';
import { submit } from '../../form/submit.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';
const INSTALL = `/apps/${POSTGRES}/install`;
const ORDERS = `/environments/team-a/instances/${POSTGRES}/orders`;
const created: InstanceDraft[] = [];
const updated: InstanceChange[] = [];

const [orders] = sampleInstances('team-a') as readonly [InstanceView];

const sampleChangeRequest = async (): Promise<ChangeRequestView> =>
  await sampleOperations().showChangeRequest({ user: 'oidc:dev-a', groups: ['g'] }, '1'.repeat(32));

const webs: SampleWeb[] = [];
after(async () => Promise.all(webs.map(async (web) => web.stop())));

async function start(overrides: Partial<Operations> = {}): Promise<(path: string, form: string | URLSearchParams) => Promise<Response>> {
  const web = await startSampleWeb({
    createInstance: async (_actor, draft) => {
      created.push(withoutAsking(draft));
      return orders;
    },
    updateInstance: async (_actor, change) => {
      updated.push(withoutAsking(change));
      return orders;
    },
    ...overrides,
  });
  webs.push(web);
  return async (path, form) =>
    fetch(web.url + path, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
      headers: { Cookie: 'chandlery=dev-a', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
    });
}

const GOOD = 'environment=team-a&name=orders&v.spec.instances=3&v.spec.storage.size=20Gi';

test('a form that is right is installed, with exactly what was typed', async () => {
  const post = await start();
  const response = await post(INSTALL, `${GOOD}&_do=install`);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get('location'), ORDERS);
  assert.deepEqual(created.at(-1), {
    environment: 'team-a',
    app: POSTGRES,
    name: 'orders',
    spec: { instances: 3, storage: { size: '20Gi' } },
  });
});

test('a review writes nothing, shows the same for automation, and carries the form along', async () => {
  const post = await start();
  const before = created.length;
  const html = await (await post(INSTALL, `${GOOD}&_do=review`)).text();
  assert.equal(created.length, before);
  assert.match(html, /Dry run succeeded/);
  assert.match(html, /kubectl apply -f -/);
  assert.match(html, /size: 20Gi/);
  assert.ok(submit(html).has('_sealed'));
  assert.match(html, /is deprecated: it ends next year/);
});

test('what the cluster takes and whose pods would not come up is shown before it is installed, once', async () => {
  const post = await start();
  const before = created.length;
  const huge = GOOD.replace('orders', 'huge');
  const html = await (await post(INSTALL, `${huge}&_do=install`)).text();
  assert.equal(created.length, before);
  assert.match(textOf(html), /memory 8Gi is above the limit of 4Gi estimate/);
  assert.equal(submit(html).get('_reviewed'), '1');
  const response = await post(INSTALL, `${huge}&_do=install&_reviewed=1`);
  assert.equal(response.status, 303);
  assert.equal(created.length, before + 1);
});

test('a review shows what differs from the defaults, who set it, and no secret; what is beyond twenty rows is folded', async () => {
  const post = await start();
  const html = await (await post(INSTALL, `${GOOD}&_do=review`)).text();
  assert.match(textOf(html), /Differences from the defaults 25 /);
  assert.match(textOf(html), / Default This instance Set by spec\.instances 1 3 You spec\.password not set secret, not shown You /);
  assert.match(textOf(html), / spec\.storage\.className not set fast Environment /);
  const [, folded] = html.split('<summary>Show 5 more fields</summary>');
  assert.match(folded ?? '', /team-22/);
  assert.doesNotMatch(folded ?? '', /team-17</);
});

test('the review of a change shows what differs from what is live', async () => {
  const { seen } = await openEdit();
  const post = await start();
  const response = await post(
    `${ORDERS}/edit`,
    new URLSearchParams({ seen, 'v.spec.instances': '5', 'v.spec.storage.size': '10Gi', _do: 'review' }),
  );
  const html = await response.text();
  assert.match(html, /Differences from the live object/);
  assert.match(textOf(html), / Current New spec/);
});

test('the form that comes back from the review holds what was typed', async () => {
  const post = await start();
  const html = await (await post(INSTALL, `${GOOD}&_do=edit`)).text();
  assert.deepEqual([submit(html).get('v.spec.storage.size'), submit(html).get('name')], ['20Gi', 'orders']);
});

test('what is wrong stands in a summary that leads to the fields, and nothing is lost', async () => {
  const post = await start();
  const response = await post(INSTALL, 'environment=&name=Orders!&v.spec.instances=many&v.spec.storage.size=20Gi&_do=install');
  const html = await response.text();
  assert.equal(response.status, 422);
  assert.match(html, /<title>Error: Install PostgreSQL/);
  const [summary] = /id="error-summary"[\s\S]*?<\/ul>/.exec(html) ?? [''];
  const links = [...summary.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id ?? '');
  assert.equal(links.length, 3, summary);
  for (const id of links) assert.ok(html.includes(`id="${id}"`), `nothing has the id ${id}`);
  const kept = ['v.spec.instances', 'v.spec.storage.size', 'name'].map((name) => submit(html).get(name));
  assert.deepEqual(kept, ['many', '20Gi', 'Orders!']);
});

test('a fault that the cluster finds in its dry run lands on its field', async () => {
  const post = await start();
  const response = await post(INSTALL, `${GOOD.replace('orders', 'wrong')}&_do=install`);
  const html = await response.text();
  assert.equal(response.status, 422);
  assert.match(linkTo(html, 'Storage, Size: must be a quantity such as 10Gi'), /^#/);
});

test('labels are typed in the form, checked as Kubernetes has them, and sent beside the spec', async () => {
  const post = await start();
  const label = (key: string, value: string): string =>
    new URLSearchParams({ 'n.metadata.labels': '1', 'k.metadata.labels[0]': key, 'v.metadata.labels[0]': value }).toString();
  await post(INSTALL, `${GOOD}&${label('team.example.com/tier', 'gold')}&_do=install`);
  assert.deepEqual(created.at(-1)?.otherFields, { metadata: { labels: { 'team.example.com/tier': 'gold' } } });
  const html = await (await post(INSTALL, `${GOOD}&${label('-tier', 'gold')}&_do=install`)).text();
  assert.equal(linkTo(html, 'Labels and annotations, Labels 1: The key "-tier" has not the form'), '#f-metadata-labels-0');
  assert.match(html, /<details class="field-group field-group--fold" id="f-metadata"[^>]* open>/);
});

test('a name that is taken lands on the name', async () => {
  const post = await start({
    createInstance: async () => Promise.reject(new AppError('AlreadyExists', 'PostgreSQL "orders": there is one already')),
  });
  const html = await (await post(INSTALL, `${GOOD}&_do=install`)).text();
  assert.equal(linkTo(html, 'PostgreSQL "orders": there is one already'), '#name');
});

test('a missing permission is reported before anything is written, with the RoleBinding that would grant it', async () => {
  const post = await start();
  const before = created.length;
  const html = await (await post(INSTALL, `${GOOD.replace('orders', 'blocked')}&_do=install`)).text();
  assert.equal(created.length, before);
  assert.match(html, /The permission to create postgresclusters\.samples\.chandlery\.dev in the namespace &quot;team-a&quot; is missing\./);
  assert.match(html, /kind: RoleBinding/);
  assert.doesNotMatch(html, /value="install"/);
});

test('a cluster that is away is an error page, not a fault of the form', async () => {
  const post = await start({
    preflightInstance: async () => Promise.reject(new AppError('ClusterUnavailable', 'cluster: it does not answer')),
  });
  assert.equal((await post(INSTALL, `${GOOD}&_do=install`)).status, 503);
});

test('a row is added without losing anything', async () => {
  const post = await start();
  const response = await post(INSTALL, `${GOOD}&_op=add:spec.users`);
  const html = await response.text();
  assert.equal(response.status, 200);
  assert.match(html, /name="v\.spec\.users\[0\]\.name"/);
  assert.match(html, /value="20Gi"/);
});

test('a preset fills what nobody typed, and marks it', async () => {
  const post = await start();
  const html = await (await post(INSTALL, 'environment=team-a&name=orders&v.spec.storage.size=7Gi&_op=preset:production')).text();
  const filled = ['v.spec.instances', 'v.spec.storage.size', 'v.spec.users[0].name', 'preset'].map((name) => submit(html).get(name));
  assert.deepEqual(filled, ['3', '7Gi', 'app', 'production']);
  assert.match(textOf(html), / Instances (\S+ )?Value from: Preset Production .* Size (\S+ )?Value from: You /);
});

test('another preset takes the place of the first, but for what was changed; taken away, only that stays', async () => {
  const post = await start();
  const chosen = 'environment=team-a&preset=production&v.spec.instances=3&v.spec.storage.size=9Gi&n.spec.users=1&v.spec.users[0].name=app';
  const small = await (await post(INSTALL, `${chosen}&_op=preset:small`)).text();
  assert.match(small, /name="v\.spec\.instances" value="1"/);
  assert.match(small, /name="v\.spec\.storage\.size" value="9Gi"/);
  assert.doesNotMatch(small, /spec\.users\[0\]/);
  const none = await (await post(INSTALL, `${chosen}&_op=preset:`)).text();
  assert.match(none, /name="v\.spec\.instances" value=""/);
  assert.match(none, /name="v\.spec\.storage\.size" value="9Gi"/);
  assert.doesNotMatch(none, /name="preset"/);
});

test('a link can choose a preset, over which its own values win; an unknown one changes nothing', async () => {
  const { url } = await opened();
  const html = await url(`${INSTALL}?preset=small&v.spec.storage.size=5Gi`);
  assert.match(html, /name="v\.spec\.instances" value="1"/);
  assert.match(html, /name="v\.spec\.storage\.size" value="5Gi"/);
  assert.doesNotMatch(await url(`${INSTALL}?preset=nothing`), /name="preset"/);
});

test('what the environment sets and locks stands in the form, and is rejected when it is sent all the same', async () => {
  const { url } = await opened();
  const html = await url(`${INSTALL}?environment=team-a&v.spec.storage.className=slow`);
  assert.match(html, /name="v\.spec\.storage\.className"[^>]* value="fast"[^>]* disabled/);
  assert.match(html, /Locked by the environment team-a\./);
  assert.match(html, /Version<[\s\S]{0,200}Value from: <\/span>Environment<\/span>/);
  assert.match(html, /name="v\.spec\.port"[^>]* value="5432"[^>]* disabled/);
  const post = await start();
  const rejected = await post(INSTALL, `${GOOD}&v.spec.storage.className=slow&_do=install`);
  assert.equal(rejected.status, 422);
  assert.match(await rejected.text(), /Class name: It is locked by the environment team-a/);
});

test('the form and its review have a link that fills the form in the same way, without secrets', async () => {
  const post = await start();
  const typed = `${GOOD}&n.spec.users=1&v.spec.users[0].name=app&v.spec.password=hunter2`;
  for (const step of ['_op=search', '_do=review']) {
    const html = await (await post(INSTALL, `${typed}&${step}`)).text();
    const href = linkTo(html, 'Link to this form');
    assert.match(textOf(html), /Secrets are not in it: spec\.password/);
    assert.doesNotMatch(href, /hunter2/);
    const { url } = await opened();
    const again = await url(href);
    assert.match(again, /name="v\.spec\.storage\.size" value="20Gi"/);
    assert.match(again, /name="v\.spec\.users\[0\]\.name" value="app"/);
    assert.match(again, /id="name"[^>]* value="orders"/);
    assert.doesNotMatch(again, /hunter2/);
  }
});

const SEEN_FIELD = /name="seen" value="([^"]*)"/;

async function opened(): Promise<{ readonly url: (path: string) => Promise<string> }> {
  const web = await startSampleWeb();
  webs.push(web);
  return { url: async (path) => await (await fetch(web.url + path, { headers: { Cookie: 'chandlery=dev-a' } })).text() };
}

async function openEdit(): Promise<{ readonly web: SampleWeb; readonly seen: string }> {
  const web = await startSampleWeb();
  webs.push(web);
  const html = await (await fetch(`${web.url}${ORDERS}/edit`, { headers: { Cookie: 'chandlery=dev-a' } })).text();
  return { web, seen: (SEEN_FIELD.exec(html)?.[1] ?? '').replaceAll('&quot;', '"') };
}

test('a change is written onto the newest version, although its status moved on meanwhile', async () => {
  const { seen } = await openEdit();
  const metadata = { ...orders.object.metadata, resourceVersion: '4712' };
  const post = await start({ showInstance: async () => ({ ...orders, object: { ...orders.object, metadata } }) });
  const response = await post(
    `${ORDERS}/edit`,
    new URLSearchParams({ seen, 'v.spec.instances': '5', 'v.spec.storage.size': '10Gi', _do: 'save' }),
  );
  assert.equal(response.status, 303, await response.text());
  assert.deepEqual(updated.at(-1), {
    environment: 'team-a',
    app: POSTGRES,
    name: 'orders',
    spec: { instances: 5, storage: { size: '10Gi' } },
    specVersion: 'uid-orders.2',
  });
});

test('what somebody else changed meanwhile is shown and taken over, and nothing is written yet', async () => {
  const { seen } = await openEdit();
  const before = updated.length;
  const live = { ...orders.object, spec: { instances: 3, storage: { size: '50Gi' } } };
  const post = await start({ showInstance: async () => ({ ...orders, object: live }) });
  const response = await post(
    `${ORDERS}/edit`,
    new URLSearchParams({ seen, 'v.spec.instances': '5', 'v.spec.storage.size': '10Gi', _do: 'save' }),
  );
  const html = await response.text();
  assert.equal(response.status, 409);
  assert.equal(updated.length, before);
  assert.match(html, /storage\.size is now &quot;50Gi&quot;/);
  assert.match(html, /name="v\.spec\.storage\.size" value="50Gi"/);
  assert.match(html, /name="v\.spec\.instances" value="5"/);
});

test('production is deleted only by its name, and says so in a summary', async () => {
  const deleted: string[] = [];
  const post = await start({ deleteInstance: async (_actor, { name }) => void deleted.push(name) });
  const path = `/environments/shop/instances/${POSTGRES}/orders/delete`;
  const rejected = await post(path, 'name=order');
  assert.equal(rejected.status, 422);
  assert.equal(linkTo(await rejected.text(), 'Type orders to delete it'), '#name');
  const done = await post(path, 'name=orders');
  assert.equal(done.headers.get('location'), '/environments/shop?deleted=orders');
  assert.deepEqual(deleted, ['orders']);
});

test('anybody who lacks the permission can ask somebody else, with exactly what the review showed', async () => {
  const asked: ChangeRequestDraft[] = [];
  const post = await start({
    createChangeRequest: async (_actor, wish) => {
      asked.push(wish);
      return (await sampleChangeRequest()).changeRequest;
    },
  });
  const blocked = GOOD.replace('orders', 'blocked');
  const html = await (await post(INSTALL, `${blocked}&_do=install`)).text();
  assert.match(html, /<details class="panel" open>\s*<summary>Request approval to install/);
  assert.match(html, /value="ask">Request approval to install/);
  const response = await post(INSTALL, `${blocked}&_do=ask&_message=please`);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get('location'), `/change-requests/${'1'.repeat(32)}?asked`);
  const { requestId = '', via, person: _person, ...wish } = asked[0] ?? {};
  assert.deepEqual([requestId === '', via], [false, 'page']);
  const spec = { instances: 3, storage: { size: '20Gi' } };
  assert.deepEqual(wish, { environment: 'team-a', app: POSTGRES, name: 'blocked', spec, action: 'install', message: 'please' });
});

test('a secret in a change request is rejected at its field, and the form comes back', async () => {
  const faults = [{ field: 'spec.storage.size', message: 'A change request must not hold a secret' }];
  const post = await start({
    createChangeRequest: async () => Promise.reject(new AppError('InvalidInput', 'change request: no', { faults })),
  });
  const response = await post(INSTALL, `${GOOD}&_do=ask`);
  assert.equal(response.status, 422);
  const html = await response.text();
  assert.match(html, /A change request must not hold a secret/);
  assert.match(html, /value="20Gi"/);
});

test('a change request is approved with the digest of the page, and shown anew where it moved', async () => {
  const web = await startSampleWeb();
  webs.push(web);
  const post = async (form: string): Promise<Response> =>
    fetch(`${web.url}/change-requests/${'1'.repeat(32)}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
      headers: { Cookie: 'chandlery=admin', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' },
    });
  assert.equal((await post('_do=approve&digest=d')).headers.get('location'), ORDERS);
  const stale = await post('_do=approve&digest=old');
  assert.equal(stale.status, 409);
  const html = await stale.text();
  assert.match(html, /role="alert"/);
  assert.match(html, /Nothing was written: review the request again/);
  assert.match(html, /name="digest" value="d"/);
});

test('the resource can be kept as a file for git', async () => {
  const post = await start();
  const html = await (await post(INSTALL, `${GOOD}&_do=review`)).text();
  assert.match(textOf(html), / team-a\/postgresclusters\/orders\.yaml /);
  assert.match(html, /<form class="stack" id="review"/);
  assert.match(html, /form="review" name="_do" value="file"/);
  const { seen } = await openEdit();
  for (const path of [INSTALL, `${ORDERS}/edit`]) {
    const response = await post(path, `${GOOD}&_do=file&seen=${encodeURIComponent(seen)}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('content-type'), 'text/yaml; charset=utf-8');
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename=postgresclusters-orders.yaml');
    assert.match(await response.text(), /^apiVersion: samples\.chandlery\.dev\/v1\nkind: PostgresCluster\n/);
  }
});
