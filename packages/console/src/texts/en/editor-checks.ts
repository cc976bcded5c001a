import type { Compiled } from '../messages.ts';

const words = {
  missingAlt: 'The picture has no alt text. Screen readers can’t describe it.',
  emptyLink: 'The link has no text. Screen readers can’t announce it.',
  deadButton: 'The button “{text}” has no link.',
  deadLink: '“{text}” leads to something that isn’t live or was deleted.',
  deadLinkWithoutText: 'The link leads to something that isn’t live or was deleted.',
  deadAnchor: 'The link leads to the anchor “{anchorId}”, which isn’t on this page.',
  sameAnchor: 'Another element uses the anchor “{anchorId}” too.',
  noMainHeading: 'The page has no main heading (level 1).',
  manyMainHeadings: '“{text}” is a second main heading (level 1). Use only one per page.',
  skippedHeading: 'The heading “{text}” skips from level {before} to level {level}.',
  contrast:
    'The text is hard to read on its background: the contrast is {ratio}:1, but should be at least {wanted}:1.',
  missingLabel: 'The field has no label.',
  noSubmit: 'The form has no submit button.',
  missingTitle: 'The video has no title. Screen readers can’t describe it.',
  goneProduct: 'The product is no longer available, so nothing shows here.',
  longTitle: 'The title for search engines is longer than {most} characters and is cut.',
  longDescription: 'The description for search engines is longer than {most} characters and is cut.',
} as const;

export default words;
export type EditorChecksWords = Compiled<typeof words>;
