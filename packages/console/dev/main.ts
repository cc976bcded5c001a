import { parseArgs } from 'node:util';
import { DevServerError, requireSystem, startDevServer } from './server.ts';

/**
 * The console from its sources, with hot reload: `npm run console:dev [-- --system <address>] [--port <port>]
 * [--pseudo]`. With `--pseudo`, English is shown in the pseudo-locale.
 */
async function main(): Promise<void> {
  const { system, port, isPseudo } = readArguments();
  await requireSystem(system);
  const server = await startDevServer({ system, port, isPseudo });
  const { origin } = new URL(server.resolvedUrls!.local[0]!);
  process.stdout.write(
    `Open ${origin}/console/ (all UI parts: ${origin}/console/ui; the API is that of ${system})\n`,
  );
  // The launcher has ended.
  process.once('disconnect', () => process.exit());
}

function readArguments(): { system: string; port: number | undefined; isPseudo: boolean } {
  const { values } = parseArgs({
    options: {
      system: { type: 'string', default: 'http://localhost:8080' },
      port: { type: 'string' },
      pseudo: { type: 'boolean', default: false },
    },
  });
  const system = URL.parse(values.system);
  if (!system || !/^https?:$/.test(system.protocol))
    throw new DevServerError('--system must be an http or https address, such as http://localhost:8080.');
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    throw new DevServerError('--port must be a whole number from 1 to 65535.');
  return { system: system.origin, port, isPseudo: values.pseudo };
}

await main().catch((error) => {
  const isUsage = error instanceof DevServerError || error.code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${isUsage ? error.message : error.stack}\n`);
  process.exit(1);
});
