import { maxBlocks, type ValueType, type Vocabulary } from '@waybill/page';
import Type from 'typebox';
import { describeSlot, type TraitAttribute, toBlock, traitTargets } from './manifest.ts';

type Schema = Record<string, unknown>;

/** Path of the manifest's JSON Schema below the public base URL. */
export const schemaPath = '/schemas/block-manifest.json';

const texts = new WeakMap<Vocabulary, string>();

/** Returns the schema as served to the public. It is built once for each vocabulary. */
export function manifestSchemaText(vocabulary: Vocabulary, baseUrl: string): string {
  const text = texts.get(vocabulary) ?? JSON.stringify(manifestSchema(vocabulary, baseUrl));
  texts.set(vocabulary, text);
  return text;
}

/**
 * Builds the JSON Schema (2020-12) of a block manifest, `{ blocks }`, with the names of a vocabulary, so that editors
 * can complete and check it. It cannot express that nodes form one tree, that keys are unique, or that names within a
 * block match; the server checks these.
 */
function manifestSchema(vocabulary: Vocabulary, baseUrl: string): Schema {
  const types = Object.entries(vocabulary.elementTypes).filter(([, element]) => !element.documentOnly);
  const block = toBlock({
    elementType: Type.Unsafe<string>({ enum: types.map(([name]) => name) }),
    props: Type.Unsafe<Record<string, unknown>>(propsSchema(vocabulary)),
    attribute: Type.Unsafe<TraitAttribute>({
      anyOf: traitTargets.map((target) =>
        Type.Object({
          widget: Type.Unsafe<string>({ enum: Object.keys(vocabulary.widgets) }),
          slot: describeSlot,
          target: Type.Literal(target),
          writeKey: Type.Unsafe<string>({ enum: Object.keys(vocabulary.writeKeys[target]) }),
        }),
      ),
    }),
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${baseUrl}${schemaPath}`,
    title: 'Waybill block manifest',
    description: `The blocks of an app version; the names are those of vocabulary ${vocabulary.version}.`,
    ...Type.Object({ blocks: Type.Array(block, { maxItems: maxBlocks }) }),
  };
}

function propsSchema({ writeKeys }: Vocabulary): Schema {
  return {
    type: 'object',
    properties: {
      style: perBreakpoint(writeKeys.style),
      config: perBreakpoint(writeKeys.config),
      specials: describeValues(writeKeys.specials),
      bindings: Type.Array(
        Type.Object({
          source: Type.String({
            pattern: '^app\\.[a-z0-9][a-z0-9._-]{0,63}$',
            description: '`app.<key>`: a value of the app’s own data.',
          }),
          field: Type.String({ description: 'For example `specials.text`.' }),
        }),
      ),
    },
  };
}

function perBreakpoint(types: Readonly<Record<string, ValueType>>): Schema {
  const values = { ...describeValues(types), type: ['object', 'null'] };
  return {
    type: 'object',
    properties: { base: values, tablet: values, mobile: values },
    additionalProperties: false,
  };
}

/**
 * Builds the schema of an object of values. Null resets a value. Keys of a block reference are allowed, and are
 * dropped.
 */
function describeValues(types: Readonly<Record<string, ValueType>>): Schema {
  const properties = Object.entries(types).map(([key, type]) => [
    key,
    { anyOf: [plain(type), { type: 'null' }] },
  ]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...droppedKeys },
    additionalProperties: false,
  };
}

const droppedKeys = { appId: true, blockKey: true, settings: true };

/** Removes from a value's type what JSON Schema does not know: its kind, and Waybill's own formats. */
function plain({
  kind: _kind,
  format: _format,
  richText: _richText,
  items,
  properties,
  anyOf,
  ...rest
}: ValueType): Schema {
  return {
    ...rest,
    ...(items && { items: plain(items) }),
    ...(anyOf && { anyOf: anyOf.map(plain) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, plain(type)])),
    }),
  };
}
