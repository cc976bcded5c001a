import { addEventHandler } from 'jest-circus';

/** Long enough that only a hanging test reaches it, even on a busy machine. */
const limitMs = 300_000;

/** Gives every test and hook a time limit, because the runner itself waits forever. */
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
