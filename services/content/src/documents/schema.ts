import { Timestamp } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import Type from 'typebox';

/** A document as it is sent. What it must be, the vocabulary says, so `invalid_document` comes from the check. */
export const AnyDocument = Type.Unknown({
  description:
    '`{ rootId, nodes: [...] }`, its nodes of the types that the vocabulary lists; at most 5,000 nodes and 1 MiB.',
});

/** A document that was accepted. */
export const Document = Type.Object(
  {
    rootId: Type.String(),
    nodes: Type.Array(
      Type.Object({ id: Type.String(), type: Type.String() }, { additionalProperties: true }),
    ),
  },
  { additionalProperties: true },
);

/** Which state of a document it is: `decisions.md 13.1`. */
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

/** Something that the editor may want to tell its user of. */
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
