/** The content of `chunks.json`: the files that a browser requests, and which of them it requests together. */
export interface Chunks {
  /** The sheet of the first screen. Scripts load all other styles. */
  styles: string;
  /** By file name: the modules of this package that the file is requested for, and the files it imports. */
  scripts: Record<string, { asked: string[]; imports: string[] }>;
}

/** Returns all scripts that must be loaded before the given one runs. */
export function scriptsBefore({ scripts }: Chunks, name: string): Set<string> {
  const found = new Set<string>();
  const add = (next: string) => {
    if (found.has(next)) return;
    found.add(next);
    scripts[next]!.imports.forEach(add);
  };
  scripts[name]!.imports.forEach(add);
  return found;
}
