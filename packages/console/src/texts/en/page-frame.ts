import type { Compiled } from '../messages.ts';

const words = {
  device: 'Preview size',
  devices: { fit: 'Fit', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
  problems: 'Problems on this page',
  previewOf: 'Preview: {name}',
  present: 'Last saved version',
  earlier: 'Version from {at}',
  earlierUnknown: 'Earlier version',
  hint: 'What visitors will see after you publish. Links and app scripts don’t work in this preview.',
} as const;

export default words;
export type PageFrameWords = Compiled<typeof words>;
