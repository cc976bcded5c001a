import { idPattern, Timestamp } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

/** A document as it was saved or published: `decisions.md 13.2`. */
export const Revision = Type.Object(
  {
    id: Type.String({ pattern: idPattern('revision') }),
    kind: Type.Enum(['draft', 'published']),
    createdAt: Timestamp,
    userId: nullable(Type.String({ description: 'Null if an API key or an app published it.' })),
    userName: nullable(Type.String({ description: 'Also null if the user no longer exists.' })),
    nodes: Type.Integer({ minimum: 1, description: 'The number of nodes in the document.' }),
  },
  { $id: 'Revision' },
);
export type Revision = Static<typeof Revision>;
