import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** What every process is started with, however it is. */
export const processEnv = parseEnv(
  readFileSync(new URL('../process.env', import.meta.url), 'utf8'),
) as Record<string, string>;
