const words = {
  search: 'File name',
  empty: 'The library is empty',
  emptyHint: 'Upload something first; what was uploaded stands here.',
  more: 'Show more',
  take: (count: string) => `Take ${count}`,
  takeOne: 'Take it',
};

export default words;
export type MediaPickerWords = typeof words;
