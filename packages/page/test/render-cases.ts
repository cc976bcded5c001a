import { text } from 'node:stream/consumers';

/**
 * Runs as a separate process: renders the cases on its standard input, in the environment in which it was started. With
 * the argument `hostile`, everything that depends on the environment throws.
 */
const cases = JSON.parse(await text(process.stdin));
if (process.argv[2] === 'hostile') {
  const refuse = () => {
    throw new Error('the renderer must not ask its environment');
  };
  Math.random = refuse;
  String.prototype.localeCompare = refuse;
  String.prototype.toLocaleUpperCase = refuse;
  String.prototype.toLocaleLowerCase = refuse;
  Number.prototype.toLocaleString = refuse;
  Object.defineProperty(globalThis, 'Intl', { get: refuse });
  Object.defineProperty(globalThis, 'Date', { get: refuse });
}
const { renderCase } = await import('./case.ts');
process.stdout.write(JSON.stringify(cases.map(renderCase)));
