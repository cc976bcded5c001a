/** Steps of duration: eight for each doubling. */
const stepsToDouble = 8;

/** Returns the step of a duration. */
export const findDurationStep = (durationMs: number): number =>
  Math.round(stepsToDouble * Math.log2(Math.max(0, durationMs) + 1));

/** Returns the duration of a step in milliseconds, accurate to a twentieth. */
const getDuration = (step: number): number => Math.round(2 ** (step / stepsToDouble) - 1);

/**
 * Returns the duration that a part (0–1) of the attempts did not exceed, given their steps in order; null when there
 * are none.
 */
export function quantile(
  steps: readonly { step: number; attempts: number }[],
  fraction: number,
): number | null {
  const all = steps.reduce((sum, { attempts }) => sum + attempts, 0);
  let cumulative = 0;
  for (const { step, attempts } of steps) {
    cumulative += attempts;
    if (cumulative >= all * fraction) return getDuration(step);
  }
  return null;
}
