import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRejectedAsInvalid, recreateAdvice, withoutDumps } from '../../../../src/domain/kubernetes/value-dumps.ts';
import { plainFault } from '../../../../src/kube/transport/field-faults.ts';

const TEMPLATE = '{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"m","image":"m:2"}],"volumes":null}}';
const GO =
  'core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"", Labels:map[string]string{"a":"b"}}, Spec:core.PodSpec{Volumes:[]core.Volume(nil)}}';
const JOB = (value: string): string => `Job.batch "migrate" is invalid: spec.template: Invalid value: ${value}: field is immutable`;

describe('what the api-server says of an invalid object', () => {
  it('is told without the struct that it repeats', () => {
    for (const value of [TEMPLATE, GO, `&${GO}`]) {
      assert.equal(withoutDumps(JOB(value)), 'Job.batch "migrate" is invalid: spec.template: field is immutable');
      assert.equal(plainFault(`Invalid value: ${value}: field is immutable`), 'field is immutable');
    }
    const two = `spec.selector: Invalid value: ${TEMPLATE}: field is immutable, spec.replicas: Invalid value: -1: must be greater than 0`;
    assert.equal(withoutDumps(two), 'spec.selector: field is immutable, spec.replicas: Invalid value: -1: must be greater than 0');
  });

  it('holds until the object changes, and has a way out where a field cannot be changed', () => {
    const message = `helm upgrade of "a" in namespace "b": UPGRADE FAILED: cannot patch "migrate": ${JOB(TEMPLATE)}`;
    assert.equal(isRejectedAsInvalid(message), true);
    assert.equal(recreateAdvice(message, 'b'), 'To create it anew, which also ends its pods: kubectl delete job migrate --namespace b');
    const set = `StatefulSet.apps "db" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden`;
    assert.match(recreateAdvice(set, 'b') ?? '', /kubectl delete statefulset db/);
    assert.equal(recreateAdvice('Deployment.apps "a" is invalid: spec.template: Required value', 'b'), undefined);
    assert.equal(isRejectedAsInvalid('the server is currently unable to handle the request'), false);
  });
});
