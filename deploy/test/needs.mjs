import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Patterns in a suite, or in a file that it imports by a relative path, that show the use of a program. */
const signs = {
  'redis-server': /REDIS_URL|redisServer|cluster-servers|drivers-servers/,
  'rabbitmq-server': /AMQP_URL|amqpUrl|rabbitmqServer|cluster-servers|drivers-servers/,
  chromium: /[cC]hromium/,
  'chromium-headless-shell': /[cC]hromium/,
  pg_basebackup: /pg_basebackup/,
  promtool: /promtool/,
};

/**
 * Returns the programs that a run of some paths needs: `npm test -- services/catalog` installs and starts only programs
 * that the catalog's suites use. A run of everything needs all.
 */
export function neededPrograms(root, patterns) {
  const all = Object.keys(signs);
  if (patterns.length === 0) return all;
  const suites = suitesBelow(root).filter((path) => patterns.some((pattern) => path.includes(pattern)));
  // A pattern that is not a plain path is left to jest.
  if (suites.length === 0) return all;
  const texts = new Map();
  for (const path of suites) readWithImports(path, texts);
  return all.filter((program) => [...texts.values()].some((text) => signs[program].test(text)));
}

/** Pattern of a suite, or of a test file that it imports, that needs a server, a browser or a whole system. */
const serverSign =
  /\b(?:startSystem|startPostgres|startProgram|topologies|spawn|cloneDatabases|withServerClient|serverUrl|findTablesContaining|areServersReachable|amqpUrl|redisUrl|redisServer|rabbitmqServer|databaseUrl|buildConsole|generateTables|(?:DATABASE|REDIS|AMQP)_URL|WAYBILL_TEST_SHARED|\w*[cC]hromium\w*|pg\.(?:Client|Pool))\b/;

/** Returns the paths of the suites that need none, without those that `.ci` lists to run only by name. */
export function suitesWithoutServers(root) {
  return suitesBelow(root).filter((path) => {
    const texts = new Map();
    readWithImports(path, texts);
    if (namedSuites(root).some((name) => path.endsWith(name))) return false;
    return ![...texts].some(([file, text]) => !file.includes('/src/') && serverSign.test(text));
  });
}

/** Returns the suites that run only if they are named, by path from the root. */
const namedSuites = (root) =>
  ['by-force', 'long'].flatMap((list) =>
    readFileSync(join(root, '.ci', list), 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#')),
  );

function suitesBelow(root) {
  const exclude = (name) => /(?:^|\/)(?:node_modules|src|dist)$/.test(name);
  return globSync('{packages,services,deploy}/**/*.test.ts', { cwd: root, exclude }).map((name) =>
    join(root, name),
  );
}

function readWithImports(path, texts) {
  if (texts.has(path) || !existsSync(path)) return;
  const text = readFileSync(path, 'utf8');
  texts.set(path, text);
  for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']{1,200})'/g))
    if (/\.(?:ts|tsx|mjs)$/.test(specifier)) readWithImports(join(dirname(path), specifier), texts);
}
