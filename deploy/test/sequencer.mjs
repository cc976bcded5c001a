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

export default class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => long.findIndex((pattern) => pattern.test(path));
    const isLong = (test) => rank(test) >= 0;
    expectShared(tests.map(({ path }) => path));
    const usual = super.sort(tests.filter((test) => !isLong(test)));
    return [...tests.filter(isLong).sort((a, b) => rank(a) - rank(b)), ...usual];
  }
}
