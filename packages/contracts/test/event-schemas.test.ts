import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventCatalogue, eventTypes, getEventSubject, publicEvents } from '../src/index.ts';

const ajv = new Ajv2020({ validateFormats: false, strict: true, strictTypes: false });

test('every event type is described once, and those of our services have a definition', () => {
  expect(eventCatalogue.map(({ type }) => type)).toEqual(eventTypes);
  const undefinedTypes = eventTypes.filter(
    (type) => !publicEvents.some((event) => event.publicType === type),
  );
  expect(undefinedTypes).toEqual(['course.enrolled', 'course.revoked']);
});

describe.each(eventCatalogue)('$type', ({ type, description, schema, sample }) => {
  const { key, permission } = getEventSubject(type);
  const isValid = ajv.compile(schema);

  test('has a self-contained schema that accepts its sample, full and reduced', () => {
    expect(description).not.toBe('');
    expect(JSON.stringify(schema)).not.toContain('"$');
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    expect([isValid(sample), isValid.errors]).toEqual([true, null]);
    if (permission === null) return;
    const { id } = sample[key] as { id: string };
    expect(isValid({ [key]: { id } })).toBe(true);
    expect(isValid({ [key]: { id, more: true } })).toBe(false);
    expect(isValid({ [key]: {} })).toBe(false);
  });
});
