import { text } from 'node:stream/consumers';

/**
 * A process of its own: renders the cases on its standard input, in whatever environment it was started. With
 * `hostile` as its argument, what could make a difference throws.
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
