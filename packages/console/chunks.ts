/** What the files that a browser asks for are made of, and which of them it asks for together: `chunks.json`. */
export interface Chunks {
  /** The styles of the start and of the first screen; scripts bring any others. */
  styles: string;
  /** By name of the file: which of its modules, from this package, it is asked for by; and the files that it imports. */
  scripts: Record<string, { asked: string[]; imports: string[] }>;
}

/** All scripts that have to be there before one of them runs. */
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
