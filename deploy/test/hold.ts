/**
 * A start that can be killed: locks the data directory, starts PostgreSQL on it unless the argument is "directory",
 * prints one line of JSON, and stops when its stdin ends.
 */
import { openDataDirectory } from '../standalone/data-directory.ts';
import { startPostgres } from '../standalone/postgres.ts';

const [dataDir, only] = process.argv.slice(2);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
try {
  const directory = await openDataDirectory(dataDir!);
  const postgres = only ? null : await startPostgres({ dataDir: directory.path, log: (log) => say({ log }) });
  postgres?.ended.then((ended) => say({ ended }));
  say({ ready: true, url: postgres?.url });
  process.stdin.resume().once('end', async () => {
    await postgres?.stop();
    await directory.release();
  });
} catch (error) {
  say({ error: (error as Error).message, kind: (error as Error).constructor.name });
  process.exitCode = 1;
}
