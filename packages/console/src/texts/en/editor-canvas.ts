import { plural } from '../texts.ts';

/** The canvas of the page editor. */
const elements = (count: number) => plural('en', count, { one: 'element', other: 'elements' });

const words = {
  title: 'Page',
  hint: 'Arrow keys go from element to element. Enter edits a text, Escape goes to what holds an element. Question mark shows all keys.',
  loading: 'Drawing the page…',
  loadingData: 'Loading content…',
  failed: 'The page could not be drawn.',
  retry: 'Try again',
  add: 'Insert here',
  empty: {
    title: 'There is nothing here yet',
    hint: 'Begin with something ready made, or with any element. The key “/” does it too.',
    insert: 'Insert an element',
  },
  typed: 'Type a text',
  spaced: 'Change spacing',
  inserted: 'Inserted',
  moved: 'Moved',
  dragged: (count: number) => elements(count),
  uploading: (count: number) => `Uploading ${plural('en', count, { one: 'file', other: 'files' })}…`,
  dragCancelled: 'Nothing was moved.',
  refused: {
    leaf: 'Nothing can stand in here',
    full: 'No more can stand in here',
    excluded: 'This cannot stand in here',
    depth: 'Nested too deep',
    count: 'The page has too many elements',
    inside: 'It cannot stand in itself',
  },
  fromProduct: 'This text is the product’s: it is changed with the product.',
  noText: 'There is no text here to type. The inspector has its settings.',
  richTextElsewhere: 'Rich text is translated in the room “Translations”, beside the original.',
  menu: 'What can be done with the selection',
  clipboard: {
    copied: (count: number) => `Copied ${elements(count)}.`,
    cut: (count: number) => `Cut ${elements(count)}.`,
    pasted: (count: number) => `Pasted ${elements(count)}.`,
    nothingToPaste: 'The clipboard holds nothing that can be pasted here.',
    noPlace: 'What is on the clipboard cannot stand on this page.',
    notes: {
      media: 'Pictures of another store are not shown here.',
      products: 'Products of another store are not shown here.',
      pages: 'Links to pages of another store lead nowhere here.',
      blocks: 'Blocks of apps that are not installed show nothing.',
      sections: 'Sections of another store were left out.',
      detached: 'Sections of another store came as their content.',
      images: 'Some pictures could not be taken along.',
      cut: 'There was more than a page can hold.',
    },
  },
};

export default words;
export type CanvasWords = typeof words;
