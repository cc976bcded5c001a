import { addEventHandler } from 'jest-circus';

/** Only what hangs is to run into it, on a busy machine too. */
const limitMs = 300_000;

/** The runner itself waits for ever: gives every test and hook an end. */
addEventHandler(({ name, timeout = limitMs }, { currentDescribeBlock }) => {
  if (name === 'add_test') limit(currentDescribeBlock.children.at(-1), timeout);
  if (name === 'add_hook') limit(currentDescribeBlock.hooks.at(-1), timeout);
});

function limit(step, ms) {
  const { fn } = step;
  if (!fn) return;
  const { name = step.type } = step;
  step.fn = async () => {
    let timer;
    const end = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${name}: not done after ${ms} ms`)), ms);
    });
    try {
      await Promise.race([fn(), end]);
    } finally {
      clearTimeout(timer);
    }
  };
}
