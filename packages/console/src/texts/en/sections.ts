import { plural } from '../texts.ts';

const words = {
  title: 'Sections',
  hint: 'Reusable parts of pages, such as an announcement. Edit once, update everywhere.',
  empty: 'No sections yet',
  emptyHint: 'Create a section in the page editor to reuse it on several pages.',
  count: (count: string) => `Sections: ${count}`,
  section: 'Section',
  savedAt: 'Last saved',
  delete: 'Delete section',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteHint: 'You can only delete sections that aren’t in use. You can’t undo this.',
  held: 'This section is still in use:',
  deleted: 'Section deleted',
  facts: 'Details',
  elementsTitle: 'Elements',
  history: 'History',
  historyHint: 'Every save, and every time a page that uses it is published.',
  kinds: { draft: 'Saved', published: 'Published' },
  by: (name: string) => `by ${name}`,
  elements: (count: string) => `Elements: ${count}`,
  restore: 'Restore',
  restoreLabel: (at: string) => `Restore version from ${at}`,
  restoreTitle: 'Restore this version?',
  restoreHint: (at: string) =>
    `The version from ${at} becomes the current one. Visitors see it once a page that uses it is published. The current version stays in the history.`,
  restored: 'Version restored',
  preview: 'Preview',
  look: 'View',
  lookLabel: (at: string) => `View version from ${at}`,

  usage: 'Used on',
  usageOf: (count: number) => `Used in ${plural('en', count, { one: 'place', other: 'places' })}`,
  unused: 'Not used on any page.',
  live: 'Live',
};

export default words;
export type SectionWords = typeof words;
