type Detail = Readonly<Record<string, string | number>>;

const words = {
  missingAlt: () => 'The picture has no alternative text: people who do not see it learn nothing of it.',
  emptyLink: () => 'The link has no text: nobody hears where it leads.',
  deadButton: ({ text }: Detail) => `The button “${text}” leads nowhere.`,
  deadLink: ({ text }: Detail) =>
    text === ''
      ? 'The link leads to something that is not live or was deleted.'
      : `“${text}” leads to something that is not live or was deleted.`,
  deadAnchor: ({ anchorId }: Detail) =>
    `The link leads to the place “${anchorId}”, which this page does not have.`,
  sameAnchor: ({ anchorId }: Detail) => `Another element has the anchor “${anchorId}” too.`,
  noMainHeading: () => 'The page has no main heading (level 1).',
  manyMainHeadings: ({ text }: Detail) => `“${text}” is a second main heading (level 1): a page has one.`,
  skippedHeading: ({ text, level, before }: Detail) =>
    `The heading “${text}” has level ${level} after level ${before}: a level is left out.`,
  contrast: ({ ratio, wanted }: Detail) =>
    `The text stands out too little from its background: ${ratio} to 1, and ${wanted} to 1 is needed.`,
  missingLabel: () => 'The field has no label: nobody knows what to fill in.',
  noSubmit: () => 'The form has no button to send it.',
  missingTitle: () => 'The video has no title: people who do not see it learn nothing of it.',
  goneProduct: () => 'The product is no longer for sale, so nothing shows here.',
  longTitle: ({ most }: Detail) =>
    `The title for search engines is longer than ${most} characters and is cut.`,
  longDescription: ({ most }: Detail) =>
    `The description for search engines is longer than ${most} characters and is cut.`,
};

export default words;
export type EditorChecksWords = typeof words;
