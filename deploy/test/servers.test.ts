import { spawnSync } from 'node:child_process';
import { hasChromium } from '@waybill/testing';
import { findProgram, installPrograms, missingPrograms, programs } from '../servers/programs.ts';

const missing = missingPrograms();

/** Without them, suites are skipped, each with a line of its own; in CI that is an error. */
(missing.length > 0 && process.env.CI !== 'true' ? describe.skip : describe)('the servers of a run', () => {
  test('every program that suites start is on this machine: the run has installed what was missing', () => {
    expect(missing).toEqual([]);
    expect(hasChromium('this suite is')).toBe(true);
  });

  test('the tools for a standby are those of a whole PostgreSQL', () => {
    const { stdout } = spawnSync(findProgram('pg_basebackup')!, ['--version'], { encoding: 'utf8' });
    expect(stdout).toMatch(/^pg_basebackup \(PostgreSQL\) \d+/);
  });

  test('nothing is installed again, and nothing said, where everything is there', async () => {
    const said: string[] = [];
    expect(await installPrograms(programs, (line) => said.push(line))).toEqual([]);
    expect(said).toEqual([]);
  });
});
