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
        tablet: values('For less than 992 px; what is absent is as in `base`.'),
        mobile: values('For less than 640 px; what is absent is as in `tablet`.'),
      },
      { ...anything, description },
    ),
  );

const settable = {
  style: perBreakpoint('CSS, by the keys of `writeKeys.style`.'),
  config: perBreakpoint('What is not CSS and may differ by width, by the keys of `writeKeys.config`.'),
  specials: values('Content, by the keys of `writeKeys.specials`; the same in every width.'),
};

const DocumentNode = Type.Object(
  {
    id: Type.String({ description: 'Unique in the document.' }),
    type: Type.String({
      description:
        'An element type of the vocabulary, or `blockRef` (`props.specials`: `appId`, `blockKey`) or `sectionRef` ' +
        '(`props.specials`: `sectionId`).',
    }),
    label: Type.Optional(
      nullable(
        Type.String({
          maxLength: limits.labelLength,
          description: 'What editors call the node. Visitors never see it.',
        }),
      ),
    ),
    children: Type.Optional(nullable(Type.Array(Type.String(), { description: 'Ids of nodes, in order.' }))),
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
                  description: 'Of a `blockRef`: what the merchant set, by the block’s slots.',
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
    rootId: Type.String({ description: 'The node that all others are below.' }),
    nodes: Type.Array(DocumentNode, { description: 'One tree from `rootId`; at most 5,000.' }),
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
      description: 'Another whenever there is another document to edit.',
    }),
    savedAt: nullable(Timestamp),
    savedBy: nullable(Type.String({ description: 'The id of a user.' })),
  },
  {
    $id: 'DraftState',
    description:
      'The last save, also after it was published. Null: what there is was not saved, or long ago.',
  },
);

export const DocumentItem = Type.Object({ document: Document, draft: DraftState });

/** A warning that the editor may show to its user. */
export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'RFC 6901, in the body that was sent.' }),
    code: Type.String(),
    message: Type.String(),
  },
  { $id: 'DocumentWarning' },
);

export const SavedDocumentItem = Type.Object({
  ...DocumentItem.properties,
  warnings: Type.Array(Warning, {
    description:
      'What is allowed and shows nothing: `unknown_app`, `unknown_block`, `unknown_slot`, `unknown_product`, ' +
      '`unknown_media`, `unknown_page`, and `unopened_write` where no trait opens what is set. Nothing is said of ' +
      'what could not be asked for.',
  }),
});
