import { slugPattern } from '@waybill/contracts';
import Type, { type Static, type TUnsafe } from 'typebox';

export interface TraitAttribute {
  widget: string;
  slot: string;
  target: 'style' | 'config' | 'specials';
  writeKey: string;
}

/** The parts of the schema that depend on the vocabulary. */
interface VocabularySchemas {
  elementType: TUnsafe<string>;
  props: TUnsafe<Record<string, unknown>>;
  attribute: TUnsafe<TraitAttribute>;
}

const slotName = Type.String({ minLength: 1, maxLength: 64 });
const nodeId = Type.String({ minLength: 1, maxLength: 128, description: 'Unique within the block.' });

/** Builds the schema of a name, which tells editors the rule of `decisions.md 19.4`; the page model checks blocks. */
const toShownName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description });

/** Builds the schema of a block with these names: `store-api.md 2.11`. */
export function toBlock({ elementType, props, attribute }: VocabularySchemas) {
  return Type.Object({
    key: Type.String({
      pattern: slugPattern,
      maxLength: 64,
      description: 'Part of the reference stored in merchants’ pages: never rename it.',
    }),
    name: toShownName('Shown in the elements panel.'),
    icon: Type.Optional(Type.String({ description: 'Unknown names fall back to a default icon.' })),
    rootId: Type.String({ minLength: 1, description: 'The root node of the block.' }),
    nodes: Type.Array(
      Type.Object({
        id: nodeId,
        type: elementType,
        children: Type.Optional(Type.Array(Type.String(), { description: 'IDs of nodes.' })),
        props: Type.Optional(props),
        island: Type.Optional(
          Type.String({ description: 'The name of an island that the version declares.' }),
        ),
      }),
      { minItems: 1, maxItems: 5000, description: 'One tree, starting at rootId.' },
    ),
    slots: Type.Optional(
      Type.Array(Type.Object({ name: slotName, nodeId: Type.String() }), {
        description: 'Names of inner nodes, so that traits can refer to them.',
      }),
    ),
    traits: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String({ minLength: 1, maxLength: 64 }),
          label: toShownName('Shown in the block’s toolbar.'),
          attributes: Type.Array(attribute),
        }),
        { description: 'The controls in the block’s toolbar.' },
      ),
    ),
  });
}

export const traitTargets = ['style', 'config', 'specials'] as const;

export const describeSlot = Type.String({ description: 'A name from `slots`, or `$root` for the root.' });

const anything = { additionalProperties: true };
const values = (description: string) => Type.Optional(Type.Object({}, { ...anything, description }));
const perBreakpoint = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        base: values('For every width.'),
        tablet: values('For widths below 992 px.'),
        mobile: values('For widths below 640 px.'),
      },
      { ...anything, description },
    ),
  );

/** A block with any names, for the API document and for stored blocks. */
export const Block = Type.Object(
  toBlock({
    elementType: Type.Unsafe<string>(Type.String({ description: 'An element type of the vocabulary.' })),
    props: Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {
          style: perBreakpoint('CSS, by the keys of `writeKeys.style`.'),
          config: perBreakpoint(
            'Settings other than CSS that can differ by width, by the keys of `writeKeys.config`.',
          ),
          specials: values('Content, by the keys of `writeKeys.specials`; the same in every width.'),
          bindings: Type.Optional(
            Type.Array(
              Type.Object({
                source: Type.String({ description: '`app.<key>`: a value of the app’s own data.' }),
                field: Type.String({ description: 'For example `specials.text`.' }),
              }),
            ),
          ),
        },
        { additionalProperties: true },
      ),
    ),
    attribute: Type.Unsafe<TraitAttribute>(
      Type.Object({
        widget: Type.String(),
        slot: describeSlot,
        target: Type.Enum([...traitTargets]),
        writeKey: Type.String(),
      }),
    ),
  }).properties,
  {
    $id: 'Block',
    examples: [
      {
        key: 'stars',
        name: 'Stars',
        icon: 'star',
        rootId: 'root',
        nodes: [
          { id: 'root', type: 'container', children: ['words'], island: 'stars' },
          {
            id: 'words',
            type: 'text',
            props: {
              specials: { text: 'No reviews yet' },
              bindings: [{ source: 'app.rating', field: 'specials.text' }],
            },
          },
        ],
        slots: [{ name: 'words', nodeId: 'words' }],
        traits: [
          {
            key: 'words',
            label: 'Text',
            attributes: [{ widget: 'text', slot: 'words', target: 'specials', writeKey: 'text' }],
          },
        ],
      },
    ],
  },
);
export type Block = Static<typeof Block>;
