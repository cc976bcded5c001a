import Type from 'typebox';
import { checkSettings, defineConfig } from '../../src/index.ts';

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
  [{ NAME: 'A b' }, 'NAME: does not have the required form. Lower-case letters.'],
  [{ NAME: '' }, 'NAME: must be set'],
])('a wrong setting %j is one sentence', (wrong, message) => {
  expect(() => config.read({ NAME: 'tea', ...wrong })).toThrow(message);
});

test('several wrong settings are named together, and a setting that two services share once', () => {
  const wrong = { PORT: 'abc', LEVEL: 'loud' };
  const message = ['NAME: must be set', 'PORT: must be a whole number', 'LEVEL: must be one of: on, off'];
  const listProblems = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      return (error as Error).message.split('\n');
    }
    return [];
  };
  expect(listProblems(() => config.read(wrong)).sort()).toEqual([...message].sort());
  const other = defineConfig(Type.Object({ NAME: Type.String(), LIMIT: Type.Integer() }), () => {
    throw new Error('LIMIT: must be below NAME');
  });
  const service = { PORT: 'abc', NAME: 'tea', LIMIT: '3' };
  expect(listProblems(() => checkSettings([config, other], service))).toEqual([
    'PORT: must be a whole number',
    'LIMIT: must be below NAME',
  ]);
  expect(listProblems(() => checkSettings([config], { NAME: 'tea' }))).toEqual([]);
});
