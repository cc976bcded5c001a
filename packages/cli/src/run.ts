import type { Command } from 'commander';
import { type GlobalOptions, resolveUrl } from './connection.ts';
import { readCredentials } from './credentials.ts';
import { toFailure } from './failure.ts';
import { createOutput, type Output, styled } from './output.ts';

/** Turns a function into a command's action: reports what it throws and sets the exit code. */
export type Run = <Options extends GlobalOptions>(
  work: (options: Options, output: Output, ...args: string[]) => Promise<void>,
) => (this: Command, ...args: unknown[]) => Promise<void>;

export const run: Run = (work) =>
  async function (this, ...args) {
    const options = this.optsWithGlobals();
    const output = createOutput(options.json === true);
    const words = args.filter((arg) => typeof arg === 'string');
    try {
      await work(options as never, output, ...words);
    } catch (error) {
      const address = await readCredentials()
        .then((credentials) => resolveUrl(options.url, credentials))
        .catch(() => undefined);
      const { message, remedy, code, exitCode } = toFailure(error, address);
      if (output.isJson) process.stderr.write(`${JSON.stringify({ error: message, code, remedy })}\n`);
      else output.note(`${styled('red', '✗')} ${message}${remedy && `\n  ${remedy}`}`);
      process.exitCode = exitCode;
    }
  };
