const words = {
  device: 'Preview size',
  devices: { fit: 'Fit', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
  problems: 'Problems on this page',
  previewOf: (name: string) => `Preview: ${name}`,
  present: 'Last saved version',
  earlier: (at: string) => `Version from ${at}`,
  earlierUnknown: 'Earlier version',
  hint: 'What visitors will see after you publish. Links and app scripts don’t work in this preview.',
};

export default words;
export type PageFrameWords = typeof words;
