/** Waits for a result for at most `withinMs`; null when it takes longer. */
export async function inTime<Result>(result: Promise<Result>, withinMs: number): Promise<Result | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, withinMs, null);
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
