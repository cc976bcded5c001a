/// <reference types="vite/types/importMeta.d.ts" />
import type { Part } from './part.tsx';

const modules = import.meta.glob<{ default: Part }>('./parts/*.tsx', { eager: true });

/** All parts by the name of their file in `src/ui`. */
export const parts: readonly (readonly [name: string, part: Part])[] = Object.entries(modules)
  .map(([path, module]) => [path.replace(/^.*\/|\.tsx$/g, ''), module.default] as const)
  .sort(([, one], [, other]) => one.title.localeCompare(other.title, 'en'));
