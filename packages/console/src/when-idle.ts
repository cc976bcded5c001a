/** Resolves when the browser is idle, after two seconds at the latest. Safari has no idle callbacks. */
export const whenIdle = () =>
  new Promise<void>((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(() => resolve(), { timeout: 2_000 }) : resolve(),
  );
