import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import { faultsOfNewSecrets, newSecretCommands, newSecretObject, type NewSecret } from '../../../../src/domain/instance/new-secret.ts';
import { secret } from '../../../../src/domain/core/secret.ts';

const wanted: NewSecret = { name: 'orders-db', key: 'password', value: secret('swordfish'), field: 'spec.passwordRef.name' };
const place = { namespace: 'team-a', instance: 'orders' };

test('A new Secret is opaque, may be changed later, and says whose it is', () => {
  assert.deepEqual(newSecretObject(wanted, { ...place, value: 'swordfish' }), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'orders-db', namespace: 'team-a', labels: { 'chandlery.dev/instance': 'orders' } },
    type: 'Opaque',
    data: { password: 'c3dvcmRmaXNo' },
  });
});

test('What is wrong is said at the field, and never with the value', () => {
  const faults = (change: Partial<NewSecret>) => faultsOfNewSecrets([{ ...wanted, ...change }]);
  assert.deepEqual(faults({}), []);
  for (const [change, words] of [
    [{ name: '' }, /Enter a name/],
    [{ name: 'No Way' }, /must be lower-case/],
    [{ key: '' }, /Enter the key/],
    [{ key: '../x' }, /Enter the key/],
    [{ value: secret('') }, /typed again/],
    [{ value: secret('swordfish'.repeat(10_000)) }, /longer than/],
  ] as const) {
    const [fault] = faults(change);
    assert.equal(fault?.field, 'spec.passwordRef.name');
    assert.match(fault.message, words);
    assert.doesNotMatch(fault.message, /swordfish/);
  }
  assert.match(faultsOfNewSecrets([wanted, wanted])[0]?.message ?? '', /called "orders-db" already/);
});

test('The commands name no value: a typed one comes from a variable by standard input, another one is made up', () => {
  const typed = newSecretCommands(wanted, place);
  assert.match(
    typed,
    /printf %s "\$VALUE" \| kubectl create secret generic orders-db --namespace team-a --from-file=password=\/dev\/stdin/,
  );
  assert.doesNotMatch(typed, /swordfish/);
  assert.match(newSecretCommands({ name: 'orders-db', key: 'password' }, place), /^openssl rand/);
});

test('However a wish is printed, its value is not', () => {
  assert.doesNotMatch(`${stringifyJson(wanted)}${inspect(wanted, { depth: 9 })}${String(wanted.value)}`, /swordfish/);
});
