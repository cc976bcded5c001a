import type { Compiled } from '../messages.ts';

const words = {
  search: 'File name',
  empty: 'No files yet',
  emptyHint: 'Files you upload appear here.',
  more: 'Show more',
  take: 'Select {count, number}',
  takeOne: 'Select',
} as const;

export default words;
export type MediaPickerWords = Compiled<typeof words>;
