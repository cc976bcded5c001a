/** Members of the European Union. */
export const euCountries: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

const normalize = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase();

/** Whether two region names or two postal codes are the same, ignoring case and spaces. */
export const compareText = (a: string, b: string): boolean => normalize(a) === normalize(b);

/** Whether a postal code equals the code of a zone, or begins with it if the zone ends in `*` (`10*`). */
export function matchesPostalCode(pattern: string, postalCode: string): boolean {
  const [expected, actual] = [normalize(pattern), normalize(postalCode)];
  return expected.endsWith('*') ? actual.startsWith(expected.slice(0, -1)) : actual === expected;
}
