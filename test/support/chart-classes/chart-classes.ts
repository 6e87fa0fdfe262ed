import type { ChartClass } from './chart-class.ts';
import { NEEDS } from './needs.ts';
import { OBJECTS } from './objects.ts';
import { READING } from './reading.ts';
import { SCHEMAS } from './schemas.ts';
import { VALUES } from './values.ts';

/** Small charts, each of which stands for what many public charts have in common. */
export const CHART_CLASSES: readonly ChartClass[] = [...READING, ...VALUES, ...SCHEMAS, ...OBJECTS, ...NEEDS];
