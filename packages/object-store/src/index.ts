export { createFileStore } from './files.ts';
export { type ByteRange, type ObjectStore, ObjectStoreError, type StoredObject } from './object-store.ts';
export { createS3Store, type S3Options } from './s3.ts';
export { objectStoreSettings, openObjectStore } from './settings.ts';
export { throwUnavailable } from './throw-unavailable.ts';
