/** Where what is tried waits until it is told to go on. */
export function createGates() {
  const gates: (() => void)[] = [];
  return {
    wait: () => new Promise<void>((resolve) => gates.push(resolve)),
    /** Lets all go on that wait, and those that come after them, until something is done. */
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
