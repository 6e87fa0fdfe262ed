/** How the scheduler words what is wrong with a node, and how people do. The first that fits wins. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^Insufficient cpu$/, 'too little CPU free'],
  [/^Insufficient (.+)$/, 'too little $1 free'],
  [/^Too many pods$/, 'as many pods as it may have'],
  [/^.*untolerated taint \{([^:}]+): \}$/, 'the taint $1, which this pod does not tolerate'],
  [/^.*untolerated taint \{([^:}]+): ([^}]+)\}$/, 'the taint $1=$2, which this pod does not tolerate'],
  [/^.*untolerated taint.*$/, 'a taint that this pod does not tolerate'],
  [/^.*node affinity\/selector$/, 'not the labels that this pod asks for'],
  [/^.*volume node affinity conflict$/, 'no access to its volume'],
  [/^.*max volume count$/, 'as many volumes as it may have'],
  [/^.*free ports for the requested pod ports$/, 'its port in use'],
  [/^.*pod affinity rules$/, 'no pod that this pod has to run beside'],
  [/^.*(?:anti-affinity rules)$/, 'a pod that this pod must not run beside'],
  [/^.*pod topology spread constraints.*$/, 'no place that its topology spread constraints allow'],
  [/^.*were unschedulable$/, 'been closed to new pods'],
];

/**
 * The scheduler's `0/2 nodes are available: 2 Insufficient memory. no new claims …, preemption: …` in plain words, what it tried besides left
 * out. Words that it does not usually use stay as they are.
 */
export function unschedulable(message: string): string {
  const said = /^0\/(\d+) nodes are available: (.+?)\.(?: |$)/s.exec(message);
  if (said === null) return message;
  const [, nodes = '', reasons = ''] = said;
  if (/unbound immediate PersistentVolumeClaims/.test(reasons)) return 'Waiting for volumes';
  const counted = reasons.split(', ').map((reason) => /^(\d+) (.+)$/s.exec(reason));
  if (counted.some((reason) => reason === null)) return message;
  const words = counted.map(
    (reason) => `${reason?.[1] ?? ''} of ${nodes} ${reason?.[1] === '1' ? 'has' : 'have'} ${plain(reason?.[2] ?? '')}`,
  );
  return `No node can take it: ${words.join(', ')}`;
}

/** Taints that Kubernetes takes away by itself. */
const PASSING_TAINT = /untolerated taint \{node\.(cloudprovider\.)?kubernetes\.io\//;

/**
 * Whether no node could take the pod even if it were empty: it asks for more of something than any node has, which the scheduler says since Kubernetes 1.34 by counting all
 * nodes as those for which preemption is not helpful.
 */
export function exceedsEveryNode(message: string): boolean {
  const [, nodes = '', reasons = ''] = /^0\/(\d+) nodes are available: (.+?)\.(?: |$)/s.exec(message) ?? [];
  const hopeless = /preemption: 0\/\d+ nodes are available: (\d+) Preemption is not helpful for scheduling\b/.exec(message)?.[1];
  return nodes !== '' && nodes === hopeless && /\bInsufficient \S/.test(reasons) && !PASSING_TAINT.test(reasons);
}

function plain(reason: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known === undefined ? `"${reason}"` : reason.replace(known[0], known[1]);
}
