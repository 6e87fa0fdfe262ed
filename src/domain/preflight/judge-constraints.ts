import type { KubeObject } from '../kubernetes/resource.ts';
import { demandOf } from './demand.ts';
import { joinFindings, type Finding, type Findings } from './findings.ts';
import { limitRangeFindings } from './limit-range.ts';
import { podFindings, type PodEvidence } from './pod-security.ts';
import { quotaFindings } from './quota.ts';

/** An instance as it would be, and what stands around it. */
export interface JudgeInput {
  /** `<plural>.<group>` of the kind. */
  readonly app: string;
  /** As the api-server would store it, defaults included; else as it was sent. */
  readonly object: KubeObject;
  /** As it is now; absent when it is new. */
  readonly before?: KubeObject;
  readonly quotas: readonly KubeObject[];
  readonly limitRanges: readonly KubeObject[];
  readonly namespace?: KubeObject;
  readonly pods: PodEvidence;
  readonly missingClasses: readonly Finding[];
  readonly unchecked: readonly Finding[];
}

/** What quotas, limit ranges, Pod Security and classes mean for an instance. */
export function judgeConstraints(input: JudgeInput): Findings {
  const { app, object, before, quotas, limitRanges, namespace, pods, missingClasses, unchecked } = input;
  const demand = demandOf(object.spec);
  const stock = before === undefined ? {} : { before: demandOf(before.spec) };
  return joinFindings([
    quotaFindings({ quotas, app, kind: object.kind, demand, ...stock }),
    { warned: [...limitRangeFindings(limitRanges, demand), ...missingClasses] },
    podFindings(namespace, pods),
    { unchecked },
  ]);
}
