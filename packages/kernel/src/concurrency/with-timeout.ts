/** Waits for a result for at most `timeoutMs`; null when it takes longer. */
export async function withTimeout<Result>(
  result: Promise<Result>,
  timeoutMs: number,
): Promise<Result | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, timeoutMs, null);
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
