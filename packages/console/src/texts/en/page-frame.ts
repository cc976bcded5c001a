const words = {
  device: 'Look at it on',
  devices: { fit: 'Fit', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
  problems: 'What will not show as it was made',
  previewOf: (name: string) => `Preview: ${name}`,
  present: 'As it was saved last',
  earlier: (at: string) => `As it was on ${at}`,
  earlierUnknown: 'As it was',
  hint: 'What publishing would show visitors now. Links lead nowhere here, and apps’ scripts do not run.',
};

export default words;
export type PageFrameWords = typeof words;
