const words = {
  device: 'Look at it on',
  devices: { fit: 'Fit', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
  problems: 'What will not show as it was made',
};

export default words;
export type PageFrameWords = typeof words;
