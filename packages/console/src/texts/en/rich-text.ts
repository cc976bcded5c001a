import type { Compiled } from '../messages.ts';

const words = {
  bar: 'Text',
  bold: 'Bold',
  italic: 'Italic',
  underline: 'Underline',
  strike: 'Strikethrough',
  code: 'Code',
  paragraph: 'Paragraph',
  heading2: 'Heading',
  heading3: 'Small heading',
  bulletList: 'List',
  orderedList: 'Numbered list',
  blockquote: 'Quote',
  link: 'Link',
  address: 'Address',
  findLink: 'Pages, products and articles',
  linkKinds: { page: 'Page', product: 'Product', article: 'Article' },
  nothingFound: 'Nothing found',
  setLink: 'Set link',
  removeLink: 'Remove link',
  linksToThing: 'Links to a page or product. Enter an address to replace it.',
  html: 'HTML',
  htmlOf: '{field} as HTML',
  asHtml: 'HTML. Unsafe code is removed.',
  onlyHtml: 'This text can only be edited as HTML. Unsafe code is removed.',
} as const;
export type RichTextWords = Compiled<typeof words>;
export default words;
