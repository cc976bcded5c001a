import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { open, seal } from '../src/index.ts';

const key = [{ id: '', key: randomBytes(32) }];

describe('the secret box', () => {
  it('opens what it sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, context) => {
        expect(open(key, seal(key, text, context), context)).toBe(text);
      }),
    );
  });

  it('never gives the same form twice, and nothing that shows the text', () => {
    const forms = new Set(Array.from({ length: 100 }, () => seal(key, 'whsec_secret', 'whe_1')));
    expect(forms.size).toBe(100);
    for (const form of forms) expect(form).toMatch(/^[\w-]+$/);
  });

  it('opens with no other key and for no other context', () => {
    const sealed = seal(key, 'whsec_secret', 'whe_1');
    expect(() => open([{ id: '', key: randomBytes(32) }], sealed, 'whe_1')).toThrow('cannot be opened');
    expect(() => open(key, sealed, 'whe_2')).toThrow('cannot be opened');
  });

  it('notices every changed byte and every cut', () => {
    const bytes = Buffer.from(seal(key, 'whsec_secret', 'whe_1'), 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed[i]! ^= 1;
      expect(() => open(key, changed.toString('base64url'), 'whe_1')).toThrow('cannot be opened');
      expect(() => open(key, bytes.subarray(0, i).toString('base64url'), 'whe_1')).toThrow(
        'cannot be opened',
      );
    }
  });

  it('refuses a key of another length', () => {
    expect(() => seal([{ id: '', key: randomBytes(16) }], 'text', '')).toThrow();
  });
});
