import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The environment with which every process is started, in every topology. */
export const processEnv = parseEnv(
  readFileSync(new URL('../process.env', import.meta.url), 'utf8'),
) as Record<string, string>;
