import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore } from '../src/index.ts';

const defaults = { WAYBILL_DATA_DIR: '.waybill', S3_REGION: 'us-east-1' };
const s3 = {
  S3_ENDPOINT: 'http://127.0.0.1:9000',
  S3_BUCKET: 'waybill',
  S3_ACCESS_KEY_ID: 'a',
  S3_SECRET_ACCESS_KEY: 'b',
};

describe('openObjectStore', () => {
  test('keeps files below the data directory by default', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-store-'));
    try {
      const settings = { ...defaults, WAYBILL_DATA_DIR: folder };
      await openObjectStore(settings)!.put('a/b', Buffer.from('x'), { contentType: 'text/plain' });
      expect(await openObjectStore({ ...settings, MEDIA_STORE: 'files', ...s3 })!.head('a/b')).toEqual({
        sizeBytes: 1,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('opens no store when it is off', () => {
    expect(openObjectStore({ ...defaults, ...s3, MEDIA_STORE: 'off' })).toBeNull();
  });

  test('takes S3 when it is described', () => {
    expect(openObjectStore({ ...defaults, ...s3 })).not.toBeNull();
  });

  test.each(Object.keys(s3))('names %s when it alone is missing', (name) => {
    expect(() => openObjectStore({ ...defaults, ...s3, [name]: undefined })).toThrow(`${name}: must be set`);
  });

  test('names S3_ENDPOINT when S3 is asked for and nothing of it is set', () => {
    expect(() => openObjectStore({ ...defaults, MEDIA_STORE: 's3' })).toThrow('S3_ENDPOINT: must be set');
  });

  test.each(['nonsense', 'ftp://host', 'http://user:secret@host', 'http://host?x=1'])(
    'refuses %s as an endpoint without repeating it',
    (S3_ENDPOINT) => {
      expect(() => openObjectStore({ ...defaults, ...s3, S3_ENDPOINT })).toThrow(
        'S3_ENDPOINT: must be an http or https URL without credentials',
      );
    },
  );
});
