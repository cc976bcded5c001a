import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { connect, type GlobalOptions, sendRequest } from '../connection.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { Run } from '../run.ts';

interface ApiOptions extends GlobalOptions {
  data?: string;
}

/** Matches the start of a path that is not of a store. A store has resources with similar names, such as `/api-keys`. */
const fullPathStart = /^\/(api|oauth|openapi\.json|storefront|\.well-known)([/?#]|$)/;

/** Adds the command `api get|post|put|patch|delete <path>`. */
export function addApi(program: Command, run: Run): void {
  const api = program
    .command('api')
    .description('Call the API with your credentials')
    .addHelpText(
      'after',
      '\nA path such as /products is of your store; one that begins with /api/ is taken as it is.\n' +
        '  waybill api get "/products?limit=2"\n' +
        '  waybill api post /products --data \'{"name":"Earl Grey"}\'\n' +
        '  waybill api put /pages/pag_1 --data @page.json',
    );
  for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
    const command = api.command(`${method} <path>`).description(`${method.toUpperCase()} a path`);
    if (method !== 'get') command.option('--data <json>', 'the body: JSON, @file, or - for standard input');
    command.action(
      run(async (options: ApiOptions, output, path) => {
        const { client, storePath } = await connect(options);
        const body = options.data === undefined ? undefined : await readBody(options.data);
        const slashed = path!.startsWith('/') ? path! : `/${path}`;
        const fullPath = fullPathStart.test(slashed) ? slashed : (await storePath()) + slashed;
        const { text, isJson } = await sendRequest(client, method.toUpperCase(), fullPath, body);
        if (text === '') return;
        // Some answers are not JSON: a preview, for example, is a page.
        const answer = isJson ? JSON.parse(text) : text;
        output.result(answer, isJson ? JSON.stringify(answer, null, 2) : text);
      }),
    );
  }
}

async function readBody(input: string): Promise<unknown> {
  const text =
    input === '-'
      ? await readAll(process.stdin)
      : input.startsWith('@')
        ? await readFile(input.slice(1), 'utf8')
        : input;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`The body is no JSON: ${(error as Error).message}`, {
      code: 'usage',
      exitCode: exitCodes.usage,
      remedy: 'Give --data as JSON, as @file, or as - for standard input.',
    });
  }
}
