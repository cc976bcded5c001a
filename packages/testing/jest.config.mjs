/** Every suite of the repository, against real servers; see README.md. */
export default {
  rootDir: '../..',
  roots: ['<rootDir>/packages', '<rootDir>/services', '<rootDir>/deploy'],
  testMatch: ['**/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  // Node's own type stripping is not jest's; node_modules and plain JavaScript are taken as they are.
  transformIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/deploy/test/servers.mjs',
  globalTeardown: '<rootDir>/deploy/test/servers-teardown.mjs',
  testSequencer: '<rootDir>/deploy/test/sequencer.mjs',
  // Only a test that hangs is to run into it, on a busy machine too.
  testTimeout: 300_000,
  maxWorkers: 2,
};
