import { readFileSync } from 'node:fs';

const listed = (name) =>
  readFileSync(new URL(`../../.ci/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));

/**
 * Suites that run only if they are named: minutes of kills and floods, as `.ci/run` runs them, or suites that need
 * other tools.
 */
const onlyNamed = [...listed('by-force'), ...listed('long')];
const isNamed = (path) => process.argv.slice(2).some((argument) => path.includes(argument));

/** Every suite of the repository, against real servers; see README.md. */
export default {
  rootDir: '../..',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/deploy'],
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...onlyNamed.filter((path) => !isNamed(path)).map((path) => `/${path.replaceAll('.', '\\.')}$`),
  ],
  // Built packages contain files with the same names as their sources.
  modulePathIgnorePatterns: ['/dist/'],
  // Runs in plain Node.js, which reads TypeScript by itself, so each worker loads the imports of its suites only once.
  runner: 'jest-light-runner/child-process',
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/packages/testing/limits.mjs'],
  globalSetup: '<rootDir>/deploy/test/servers.mjs',
  globalTeardown: '<rootDir>/deploy/test/servers-teardown.mjs',
  testSequencer: '<rootDir>/deploy/test/sequencer.mjs',
  reporters: ['default', '<rootDir>/deploy/test/shared-systems.mjs', '<rootDir>/deploy/test/suite-times.mjs'],
  maxWorkers: 4,
};
