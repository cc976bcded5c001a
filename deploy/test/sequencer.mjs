import Sequencer from '@jest/test-sequencer';
import { expectShared, usesCluster } from './shared-systems.mjs';
import { long, waiting } from './suite-order.ts';

export default class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => long.findIndex((part) => path.includes(part));
    const isLong = (test) => rank(test) >= 0;
    expectShared(tests.map(({ path }) => path));
    const usual = super.sort(tests.filter((test) => !isLong(test)));
    // The cluster's suites come first, so that its processes end early.
    const order = (a, b) => rank(a) - rank(b) || usesCluster(b.path) - usesCluster(a.path);
    return beside([...tests.filter(isLong).sort(order), ...usual]);
  }
}

/**
 * Runs one suite that waits next to three that compute: four computing ones would disturb each other on two cores, and
 * the waiting ones would remain for the end.
 */
function beside(tests) {
  const isIdle = ({ path }) => waiting.some((part) => path.includes(part));
  const idle = tests.filter(isIdle);
  const busy = tests.filter((test) => !isIdle(test));
  const mixed = busy.flatMap((test, i) => [...(i % 3 === 0 ? idle.splice(0, 1) : []), test]);
  return [...mixed, ...idle];
}
