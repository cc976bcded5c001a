import { suitesWithoutServers } from '../../deploy/test/needs.mjs';
import everything from './jest.config.mjs';

const { globalSetup: _, globalTeardown: __, testSequencer: ___, reporters: ____, ...config } = everything;
const root = new URL('../..', import.meta.url).pathname;

/** The suites that need no server, nor a browser: `npm run test:unit`. */
export default {
  ...config,
  testMatch: suitesWithoutServers(root),
  reporters: ['default', '<rootDir>/deploy/test/suite-times.mjs'],
  // There are two cores, and nothing to wait for.
  maxWorkers: 2,
};
