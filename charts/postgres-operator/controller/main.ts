import { runOperator } from '../../controller-runtime/run-operator.ts';
import { postgresKind } from './postgres-kind.ts';

await runOperator(postgresKind);
