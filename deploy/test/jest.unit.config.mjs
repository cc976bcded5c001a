import { suitesWithoutServers } from './needs.mjs';

const root = new URL('../..', import.meta.url).pathname;

/**
 * The suites that need neither a server nor a browser: `npm run test:unit`. The others are in
 * packages/testing/jest.config.mjs.
 */
export default {
  rootDir: '../..',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/deploy'],
  testMatch: suitesWithoutServers(root),
  modulePathIgnorePatterns: ['/dist/'],
  runner: 'jest-light-runner/child-process',
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/packages/testing/limits.mjs'],
  reporters: ['default', '<rootDir>/deploy/test/suite-times.mjs'],
  // There are two cores, and these suites never wait.
  maxWorkers: 2,
};
