/** The accepted types, by the media type that file-type detects from the first bytes: `decisions.md 5`. */
interface FileKind {
  kind: 'image' | 'video' | 'font';
  /** The content type with which the file is served. */
  contentType: string;
  /** The structure that the check for completeness reads. */
  structure: 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' | 'boxes' | 'webm' | 'woff' | 'sfnt';
}

const image = (type: string, structure: FileKind['structure']): FileKind => ({
  kind: 'image',
  contentType: `image/${type}`,
  structure,
});
const video = (type: string, structure: FileKind['structure']): FileKind => ({
  kind: 'video',
  contentType: `video/${type}`,
  structure,
});
const font = (type: string, structure: FileKind['structure']): FileKind => ({
  kind: 'font',
  contentType: `font/${type}`,
  structure,
});

export const fileKinds: ReadonlyMap<string, FileKind> = new Map([
  ['image/png', image('png', 'png')],
  ['image/apng', image('png', 'png')],
  ['image/jpeg', image('jpeg', 'jpeg')],
  ['image/gif', image('gif', 'gif')],
  ['image/webp', image('webp', 'webp')],
  ['image/avif', image('avif', 'avif')],
  ['video/mp4', video('mp4', 'boxes')],
  ['video/x-m4v', video('mp4', 'boxes')],
  ['video/quicktime', video('quicktime', 'boxes')],
  ['video/webm', video('webm', 'webm')],
  ['font/woff', font('woff', 'woff')],
  ['font/woff2', font('woff2', 'woff')],
  ['font/ttf', font('ttf', 'sfnt')],
  ['font/otf', font('otf', 'sfnt')],
]);
