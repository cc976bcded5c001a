import Sequencer from '@jest/test-sequencer';
import { expectShared } from './shared-systems.mjs';

/** What takes half a minute or more goes first: begun last, it would have one worker busy and the others idle at the end. */
const long = [
  /\/deploy\/test\/chaos\./,
  /\/deploy\/test\/e2e\//,
  /\/deploy\/test\/console\//,
  /\/(proofs|variants|pages-in-chromium|hostile-content)\./,
  /\/deploy\/test\/(webhooks|checkout|order-mails)\./,
];

/** What mostly waits, half a minute and more. */
const waiting =
  /\/(deploy\/test\/e2e\/expiry|kernel\/test\/rabbitmq|media\/test\/(variants|trash|uploads|stalled-store)|orders\/test\/personal-data|identity\/test\/mail|object-store)\.test\./;

export default class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => long.findIndex((pattern) => pattern.test(path));
    const isLong = (test) => rank(test) >= 0;
    expectShared(tests.map(({ path }) => path));
    const usual = super.sort(tests.filter((test) => !isLong(test)));
    return beside([...tests.filter(isLong).sort((a, b) => rank(a) - rank(b)), ...usual]);
  }
}

/** One that waits beside three that compute: four of those would be in each other's way on two cores, and then all wait. */
function beside(tests) {
  const idle = tests.filter(({ path }) => waiting.test(path));
  const busy = tests.filter(({ path }) => !waiting.test(path));
  const mixed = busy.flatMap((test, i) => [...(i % 3 === 0 ? idle.splice(0, 1) : []), test]);
  return [...mixed, ...idle];
}
