import { parse } from 'regexparam';
import { base } from '../paths.ts';

export interface Found<Of extends { path: string }> {
  route: Of;
  /** The values of the path's parameters, decoded. */
  params: Readonly<Record<string, string>>;
}

/** Returns a function that finds the route of an address. A fixed segment wins over a parameter. */
export function createRouteFinder<Of extends { path: string }>(
  routes: readonly Of[],
): (location: { pathname: string }) => Found<Of> {
  const rank = ({ path }: Of) =>
    path.replaceAll(/[^/]+/g, (part) => (part === '*' ? '2' : part[0] === ':' ? '1' : '0'));
  const patterns = [...routes]
    .sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0))
    .map((route) => ({ route, ...parse(`${base}/${route.path}`) }));
  return ({ pathname }) => {
    for (const { route, pattern, keys } of patterns) {
      const match = pattern.exec(pathname);
      if (match)
        return { route, params: Object.fromEntries(keys.map((key, i) => [key, decode(match[i + 1])])) };
    }
    throw new Error('the last route has to match every address');
  };
}

function decode(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
