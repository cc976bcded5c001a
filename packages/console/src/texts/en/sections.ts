const words = {
  title: 'Sections',
  hint: 'Parts of pages that are kept in one place: a header, a footer, a notice.',
  empty: 'No sections yet',
  emptyHint: 'A section stands on several pages, and changes on all of them at once.',
  count: (count: string) => `Sections: ${count}`,
  section: 'Section',
  savedAt: 'Last saved',
  delete: 'Delete the section',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteHint: 'Only a section that nothing holds can be deleted. This cannot be taken back.',
  held: 'It is still in use:',
  deleted: 'The section is gone.',
  facts: 'Facts',
  elementsTitle: 'Elements',
  history: 'History',
  historyHint: 'Every save, and every publish of a page that holds it.',
  kinds: { draft: 'Saved', published: 'Published' },
  by: (name: string) => `by ${name}`,
  elements: (count: string) => `Elements: ${count}`,
  restore: 'Restore',
  restoreLabel: (at: string) => `Restore: the state of ${at}`,
  restoreTitle: 'Restore this state?',
  restoreHint: (at: string) =>
    `What was saved ${at} becomes the section. Visitors see it when a page that holds it is published next; the present state stays in the history.`,
  restored: 'Restored.',
  preview: 'Preview',
  look: 'View',
  lookLabel: (at: string) => `View: the state of ${at}`,
  previewOf: (name: string) => `Preview: ${name}`,
  present: 'As it was saved last',
  earlier: (at: string) => `As it was on ${at}`,
  earlierUnknown: 'As it was',
  previewHint:
    'What publishing would show visitors now. Links lead nowhere here, and apps’ scripts do not run.',
};

export default words;
export type SectionWords = typeof words;
