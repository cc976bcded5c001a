import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError } from 'commander';
import { addApi } from './commands/api.ts';
import { addApp } from './commands/app.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addProducts } from './commands/products.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { exitCodes } from './failure.ts';
import { run } from './run.ts';

/** Creates the program with all its commands. */
function createProgram(): Command {
  const program = new Command('waybill')
    .description('Waybill on the command line: apps, webhooks, products and every API call.')
    .version('0.1.0')
    .option('--url <address>', 'the server (WAYBILL_URL; default: where you signed in last)')
    .option('--store <id or slug>', 'the store (WAYBILL_STORE); a key has its own')
    .option('--json', 'JSON on standard output, for programs')
    .showHelpAfterError('(see `--help`)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused or failed, 2 used wrongly, 3 not signed in or not allowed, 4 not found,\n' +
        '5 the server cannot be reached, 130 interrupted.',
    );
  addLogin(program, run);
  addInit(program, run);
  addApp(program, run);
  addWebhooks(program, run);
  addApi(program, run);
  addProducts(program, run);
  tab(program);
  return program;
}

/** Runs one command and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander has reported the problem already; help and version are no errors.
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}
