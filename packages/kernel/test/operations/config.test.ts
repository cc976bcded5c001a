import Type from 'typebox';
import { defineConfig } from '../../src/index.ts';

const config = defineConfig(
  Type.Object({
    PORT: Type.Integer({ default: 8080, maximum: 65_535 }),
    LEVEL: Type.Enum(['on', 'off'], { default: 'on' }),
    NAME: Type.String({ pattern: '^[a-z]+$', description: 'Lower-case letters.' }),
  }),
);

test.each([
  [{ PORT: 'abc' }, 'PORT: must be a whole number'],
  [{ PORT: '99999' }, 'PORT: must be at most 65535'],
  [{ LEVEL: 'loud' }, 'LEVEL: must be one of: on, off'],
  [{ NAME: 'A b' }, 'NAME: does not have the form that it should. Lower-case letters.'],
  [{ NAME: '' }, 'NAME: must be set'],
])('a wrong setting %j is one sentence', (wrong, message) => {
  expect(() => config.read({ NAME: 'tea', ...wrong })).toThrow(message);
});
