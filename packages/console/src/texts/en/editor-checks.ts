type Detail = Readonly<Record<string, string | number>>;

const words = {
  missingAlt: () => 'The picture has no alt text. Screen readers can’t describe it.',
  emptyLink: () => 'The link has no text. Screen readers can’t announce it.',
  deadButton: ({ text }: Detail) => `The button “${text}” has no link.`,
  deadLink: ({ text }: Detail) =>
    text === ''
      ? 'The link leads to something that isn’t live or was deleted.'
      : `“${text}” leads to something that isn’t live or was deleted.`,
  deadAnchor: ({ anchorId }: Detail) =>
    `The link leads to the anchor “${anchorId}”, which isn’t on this page.`,
  sameAnchor: ({ anchorId }: Detail) => `Another element uses the anchor “${anchorId}” too.`,
  noMainHeading: () => 'The page has no main heading (level 1).',
  manyMainHeadings: ({ text }: Detail) =>
    `“${text}” is a second main heading (level 1). Use only one per page.`,
  skippedHeading: ({ text, level, before }: Detail) =>
    `The heading “${text}” skips from level ${before} to level ${level}.`,
  contrast: ({ ratio, wanted }: Detail) =>
    `The text is hard to read on its background: the contrast is ${ratio}:1, but should be at least ${wanted}:1.`,
  missingLabel: () => 'The field has no label.',
  noSubmit: () => 'The form has no submit button.',
  missingTitle: () => 'The video has no title. Screen readers can’t describe it.',
  goneProduct: () => 'The product is no longer available, so nothing shows here.',
  longTitle: ({ most }: Detail) =>
    `The title for search engines is longer than ${most} characters and is cut.`,
  longDescription: ({ most }: Detail) =>
    `The description for search engines is longer than ${most} characters and is cut.`,
};

export default words;
export type EditorChecksWords = typeof words;
