/** Resolves when the browser has nothing more urgent to do. Safari has no idle callbacks. */
export const whenIdle = () =>
  new Promise<void>((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(() => resolve(), { timeout: 2_000 }) : resolve(),
  );
