import { type ExecFileOptions, execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';

/** Whether a program is on the `PATH`, or at its path. */
export async function isInstalled(program: string): Promise<boolean> {
  if (program === '') return false;
  const isPath = program.includes('/');
  const folders = isPath ? [''] : (process.env.PATH ?? '').split(delimiter);
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, program), isPath ? constants.R_OK : constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Runs a program to its end, and returns its output. If it fails, the error contains the end of the output. */
export async function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { ...options, maxBuffer: 2 ** 28 });
    // Some programs colour their output without a terminal.
    return stripVTControlCharacters(String(stdout));
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program}: ${message.slice(0, 1000)}\n${`${stdout}\n${stderr}`.slice(-20_000)}`);
  }
}
