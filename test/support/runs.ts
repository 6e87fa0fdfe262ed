/** How many inputs a property is tried with, `CHANDLERY_TEST_RUNS` times as many where that is set: a day of looking, or a hunt for a fault seen once. */
export function runs(count: number): number {
  return count * Number(process.env['CHANDLERY_TEST_RUNS'] ?? 1);
}
