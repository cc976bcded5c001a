const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
  'base64',
);

/** Returns a small picture to upload. */
export const picture = (name: string) => ({ name: `${name}.png`, mimeType: 'image/png', buffer: png });
