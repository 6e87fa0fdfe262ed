import { runOperator } from '../../controller-runtime/run-operator.ts';
import { cacheKind } from './cache-kind.ts';

await runOperator(cacheKind);
