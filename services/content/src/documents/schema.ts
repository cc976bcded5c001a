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
