import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generatedNames } from '../../../../src/domain/app-definition/generated-crd.ts';
import { newlyReserved, reservedNames, reservedNamesFault } from '../../../../src/domain/app-definition/reserved-names.ts';

const of = (chart: string, given: Partial<Parameters<typeof generatedNames>[0]> = {}) =>
  generatedNames({ shortNames: [], ...given }, chart);

describe('names of generated kinds that kubectl gives to other kinds', () => {
  const cases: readonly { title: string; names: ReturnType<typeof of>; fault: RegExp | undefined }[] = [
    { title: 'a chart of any other name', names: of('web-app', { shortNames: ['wa'] }), fault: undefined },
    {
      title: 'a chart whose kind Kubernetes has',
      names: of('service'),
      fault: /^spec\.names\.kind: "Service" is a name of Service of Kubernetes, spec/,
    },
    {
      title: 'a chart whose kind Chandlery has',
      names: of('environment'),
      fault: /spec\.names\.plural: "environments" is a name of Environment of Chandlery/,
    },
    {
      title: 'a short name of Kubernetes',
      names: of('web', { shortNames: ['w', 'svc'] }),
      fault: /^spec\.names\.shortNames\[1\]: "svc" is a name of Service of Kubernetes; set spec/,
    },
    { title: 'a short name of Chandlery', names: of('web', { shortNames: ['kop'] }), fault: /"kop" is a name of Operator of Chandlery/ },
    {
      title: 'a plural that is the short name of another kind',
      names: of('web', { plural: 'limits' }),
      fault: /"limits" is a name of LimitRange/,
    },
    {
      title: 'a kind that kubectl compares in lower case',
      names: of('web', { kind: 'CONFIGMAP' }),
      fault: /"CONFIGMAP" is a name of ConfigMap/,
    },
  ];
  for (const { title, names, fault } of cases)
    it(title, () => {
      const reserved = reservedNames(names);
      if (fault === undefined) assert.deepEqual(reserved, []);
      else assert.match(reservedNamesFault(reserved), fault);
    });

  it('does not take from a kind what it has, and lets it have no more', () => {
    const earlier = of('service');
    const next = { ...earlier, shortNames: ['po'] };
    assert.deepEqual(newlyReserved(reservedNames(earlier), [earlier]), []);
    assert.deepEqual(
      newlyReserved(reservedNames(next), [earlier]).map(({ name }) => name),
      ['po'],
    );
  });
});
