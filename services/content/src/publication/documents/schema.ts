import { Timestamp } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import { limits } from '@waybill/page';
import Type from 'typebox';

const anything = { additionalProperties: true };

const values = (description: string) => Type.Optional(Type.Object({}, { ...anything, description }));

const perBreakpoint = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        base: values('For every width.'),
        tablet: values('For widths below 992 px; absent keys have their values of `base`.'),
        mobile: values('For widths below 640 px; absent keys have their values of `tablet`.'),
      },
      { ...anything, description },
    ),
  );

const settable = {
  style: perBreakpoint('CSS, by the keys of `writeKeys.style`.'),
  config: perBreakpoint(
    'Settings other than CSS that can differ by width, by the keys of `writeKeys.config`.',
  ),
  specials: values('Content, by the keys of `writeKeys.specials`; the same in every width.'),
};

const DocumentNode = Type.Object(
  {
    id: Type.String({ description: 'Unique within the document.' }),
    type: Type.String({
      description:
        'An element type of the vocabulary, or `blockRef` (`props.specials`: `appId`, `blockKey`) or `sectionRef` ' +
        '(`props.specials`: `sectionId`).',
    }),
    label: Type.Optional(
      nullable(
        Type.String({
          maxLength: limits.labelLength,
          description: 'The node’s name in the editor. Visitors never see it.',
        }),
      ),
    ),
    children: Type.Optional(nullable(Type.Array(Type.String(), { description: 'IDs of nodes, in order.' }))),
    props: Type.Optional(
      nullable(
        Type.Object(
          {
            ...settable,
            settings: Type.Optional(
              Type.Object(
                {},
                {
                  additionalProperties: Type.Object(settable, anything),
                  description: 'For a `blockRef`: the merchant’s settings, by the block’s slots.',
                },
              ),
            ),
          },
          anything,
        ),
      ),
    ),
  },
  { ...anything, $id: 'DocumentNode' },
);

/** An accepted document. */
export const Document = Type.Object(
  {
    rootId: Type.String({ description: 'The root of all other nodes.' }),
    nodes: Type.Array(DocumentNode, { description: 'One tree, starting at `rootId`; at most 5,000 nodes.' }),
  },
  {
    ...anything,
    $id: 'Document',
    description: 'At most 5,000 nodes and 1 MiB; its vocabulary is at `/api/stores/{storeId}/vocabulary`.',
    examples: [
      {
        rootId: 'top',
        nodes: [
          { id: 'top', type: 'section', children: ['title', 'words', 'stars'] },
          { id: 'title', type: 'heading', props: { specials: { text: 'Tea, and nothing else', level: 1 } } },
          {
            id: 'words',
            type: 'text',
            props: {
              style: { base: { color: '#334433' } },
              specials: { text: 'Picked by hand, sent within a week.' },
            },
          },
          {
            id: 'stars',
            type: 'blockRef',
            props: {
              specials: { appId: 'app_01kakk9zg00000000000000000', blockKey: 'stars' },
              settings: { $root: { specials: { text: 'What others say' } } },
            },
          },
        ],
      },
    ],
  },
);

/** A document as it is sent. The vocabulary defines its form, so `invalid_document` comes from the check. */
export const AnyDocument = Type.Unknown({ documentedAs: Document });

/** The state of a document: `decisions.md 13.1`. */
const DraftState = Type.Object(
  {
    revision: Type.Integer({
      minimum: 0,
      description: 'Changes whenever the document to edit changes.',
    }),
    savedAt: nullable(Timestamp),
    savedBy: nullable(Type.String({ description: 'The ID of a user.' })),
  },
  {
    $id: 'DraftState',
    description:
      'The last save, even if published since. Null if the document was not saved, or was saved long ago.',
  },
);

export const DocumentItem = Type.Object({ document: Document, draft: DraftState });

/** A warning that the editor may show to its user. */
export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'An RFC 6901 pointer into the sent body.' }),
    code: Type.String(),
    message: Type.String(),
  },
  { $id: 'DocumentWarning' },
);

export const SavedDocumentItem = Type.Object({
  ...DocumentItem.properties,
  warnings: Type.Array(Warning, {
    description:
      'Valid content that shows nothing: `unknown_app`, `unknown_block`, `unknown_slot`, `unknown_product`, ' +
      '`unknown_media`, `unknown_page`, and `unopened_write` if no trait opens the set value. Omits content ' +
      'that could not be checked.',
  }),
});
