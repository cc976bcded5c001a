/** Creates gates at which work waits until the test lets it continue. */
export function createGates() {
  const gates: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => gates.push(resolve)),
    /** Opens all gates, including new ones, until `done` settles. */
    async open<Result>(done: Promise<Result>): Promise<Result> {
      let isDone = false;
      const ended = done.finally(() => {
        isDone = true;
      });
      while (!isDone) {
        for (const gate of gates.splice(0)) gate();
        await new Promise(setImmediate);
      }
      return ended;
    },
  };
}
