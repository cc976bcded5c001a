import type { Compiled } from '../messages.ts';

/** Texts about a global section that is edited in place. */
const words = {
  used: '{others, plural, =0 {Used on {pages, plural, one {# page} other {# pages}}} other {Used on {pages, plural, one {# page} other {# pages}} and in # more}}',
  usedHint: 'Your changes go live on each of them with the next publish.',
  left: 'Back on the page',
  notSaved: 'The section stays open until your changes are saved.',
} as const;

export default words;
export type SectionWords = Compiled<typeof words>;
