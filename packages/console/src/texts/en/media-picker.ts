const words = {
  search: 'File name',
  empty: 'No files yet',
  emptyHint: 'Files you upload appear here.',
  more: 'Show more',
  take: (count: string) => `Select ${count}`,
  takeOne: 'Select',
};

export default words;
export type MediaPickerWords = typeof words;
