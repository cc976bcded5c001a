import type { Compiled } from '../messages.ts';

/** Texts of the page editor's canvas. */
const words = {
  title: 'Page',
  hint: 'Arrow keys move between elements, Enter edits text, Escape selects the parent, question mark shows all shortcuts.',
  loading: 'Loading the page…',
  loadingData: 'Loading content…',
  failed: 'The page couldn’t be loaded.',
  retry: 'Try again',
  add: 'Insert here',
  editPart: { header: 'Edit header', footer: 'Edit footer' },
  empty: {
    title: 'There is nothing here yet',
    hint: 'Start with a ready-made section or any element. You can also press “/”.',
    insert: 'Insert an element',
  },
  typed: 'Edit text',
  spaced: 'Change spacing',
  inserted: 'Inserted',
  moved: 'Moved',
  dragged: '{count, plural, one {# element} other {# elements}}',
  uploading: 'Uploading {count, plural, one {# file} other {# files}}…',
  dragCancelled: 'Move cancelled',
  refused: {
    leaf: 'This element can’t contain others',
    full: 'This element is full',
    excluded: 'Not allowed here',
    depth: 'Nested too deeply',
    count: 'The page has too many elements',
    inside: 'An element can’t contain itself',
  },
  fromProduct: 'This text comes from the product. Edit it there.',
  noText: 'This element has no text. Its settings are in the right panel.',
  richTextElsewhere: 'Translate rich text under “Translations”.',
  menu: 'Actions',
  clipboard: {
    copied: 'Copied {count, plural, one {# element} other {# elements}}',
    cut: 'Cut {count, plural, one {# element} other {# elements}}',
    pasted: 'Pasted {count, plural, one {# element} other {# elements}}',
    nothingToPaste: 'There’s nothing to paste here.',
    noPlace: 'The clipboard can’t be pasted on this page.',
    notes: {
      media: 'Pictures from another store don’t show here.',
      products: 'Products from another store don’t show here.',
      pages: 'Links to pages of another store don’t work here.',
      blocks: 'Blocks of apps that aren’t installed don’t show.',
      sections: 'Sections from another store were left out.',
      detached: 'Sections from another store were pasted as copies.',
      images: 'Some pictures couldn’t be copied.',
      cut: 'Some content was left out: the page is full.',
    },
  },
} as const;

export default words;
export type CanvasWords = Compiled<typeof words>;
