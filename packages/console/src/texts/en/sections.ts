import type { Compiled } from '../messages.ts';

const words = {
  title: 'Sections',
  hint: 'Reusable parts of pages, such as an announcement. Edit once, update everywhere.',
  empty: 'No sections yet',
  emptyHint: 'Create a section in the page editor to reuse it on several pages.',
  count: 'Sections: {count, number}',
  section: 'Section',
  savedAt: 'Last saved',
  delete: 'Delete section',
  deleteTitle: 'Delete “{name}”?',
  deleteHint: 'You can only delete sections that aren’t in use. You can’t undo this.',
  held: 'This section is still in use:',
  deleted: 'Section deleted',
  facts: 'Details',
  elementsTitle: 'Elements',
  history: 'History',
  historyHint: 'Every save, and every time a page that uses it is published.',
  kinds: { draft: 'Saved', published: 'Published' },
  by: 'by {name}',
  elements: 'Elements: {count, number}',
  restore: 'Restore',
  restoreLabel: 'Restore version from {at}',
  restoreTitle: 'Restore this version?',
  restoreHint:
    'The version from {at} becomes the current one. Visitors see it once a page that uses it is published. The current version stays in the history.',
  restored: 'Version restored',
  preview: 'Preview',
  look: 'View',
  lookLabel: 'View version from {at}',

  usage: 'Used on',
  usageOf: 'Used in {count, plural, one {# place} other {# places}}',
  unused: 'Not used on any page.',
  live: 'Live',
} as const;

export default words;
export type SectionWords = Compiled<typeof words>;
