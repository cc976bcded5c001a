type Schema = Record<string, unknown>;

const componentPath = '#/components/schemas/';

/**
 * Makes the fields optional that `?fields=` can leave out of answers: all but the `id` of each object within an
 * envelope. Clients generated from the document then accept a reduced answer. Components that bodies also use stay
 * unchanged, because `bodies` must be whole.
 */
export function relaxAnswers(
  answers: readonly unknown[],
  bodies: readonly unknown[],
  schemas: Readonly<Record<string, unknown>>,
): void {
  const done = new Set<unknown>();
  for (const body of bodies) collect(body, schemas, done);
  const envelopes = answers.flatMap((answer) => {
    const { anyOf } = resolve(answer, schemas);
    return Array.isArray(anyOf) ? anyOf.map((each) => resolve(each, schemas)) : [resolve(answer, schemas)];
  });
  for (const { properties = {} } of envelopes) {
    for (const [name, schema] of Object.entries(properties as Schema)) {
      // The content of an item's envelope stays whole: `withFields`.
      const { properties: members = {} } = resolve(schema, schemas);
      if (name !== 'document' || Object.hasOwn(members as object, 'id')) relax(schema, schemas, done);
    }
  }
}

const findComponent = ({ $ref }: Schema, schemas: Readonly<Schema>): Schema | null =>
  typeof $ref === 'string' && $ref.startsWith(componentPath)
    ? ((schemas[$ref.slice(componentPath.length)] as Schema | undefined) ?? null)
    : null;

const resolve = (schema: unknown, schemas: Readonly<Schema>): Schema =>
  findComponent(schema as Schema, schemas) ?? (schema as Schema);

/** Returns the schemas that a schema consists of; those of its components are in `schemas`. */
const listParts = (schema: Schema): unknown[] => [
  ...Object.values((schema.properties ?? {}) as Schema),
  ...Object.values((schema.patternProperties ?? {}) as Schema),
  ...[schema.items, schema.additionalProperties],
  ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) => (schema[key] ?? []) as unknown[]),
];

function collect(schema: unknown, schemas: Readonly<Schema>, found: Set<unknown>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const resolved = resolve(schema, schemas);
  if (found.has(resolved)) return;
  found.add(resolved);
  for (const part of listParts(resolved)) collect(part, schemas, found);
}

function relax(schema: unknown, schemas: Readonly<Schema>, done: Set<unknown>): void {
  if (typeof schema !== 'object' || schema === null) return;
  const resolved = resolve(schema, schemas);
  if (done.has(resolved)) return;
  done.add(resolved);
  if (Array.isArray(resolved.required)) {
    resolved.required = resolved.required.filter((name) => name === 'id');
    if ((resolved.required as string[]).length === 0) delete resolved.required;
  }
  for (const part of listParts(resolved)) relax(part, schemas, done);
}
