import { readFileSync } from 'node:fs';

/** Suites that run only where they are named, as `.ci/run` does: minutes of kills and floods. */
const byForce = readFileSync(new URL('../../.ci/by-force', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'));
const isNamed = (path) => process.argv.slice(2).some((argument) => path.includes(argument));

/** Every suite of the repository, against real servers; see README.md. */
export default {
  rootDir: '../..',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/deploy'],
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...byForce.filter((path) => !isNamed(path)).map((path) => `/${path.replaceAll('.', '\\.')}$`),
  ],
  // Packages as they are published have the names of their sources.
  modulePathIgnorePatterns: ['/dist/'],
  // In Node.js as it is: it reads TypeScript by itself, and what suites import is loaded once by each worker.
  runner: 'jest-light-runner/child-process',
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/packages/testing/limits.mjs'],
  globalSetup: '<rootDir>/deploy/test/servers.mjs',
  globalTeardown: '<rootDir>/deploy/test/servers-teardown.mjs',
  testSequencer: '<rootDir>/deploy/test/sequencer.mjs',
  reporters: ['default', '<rootDir>/deploy/test/shared-systems.mjs'],
  maxWorkers: 4,
};
