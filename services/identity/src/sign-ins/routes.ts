import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

export const SignIn = Type.Object(
  {
    id: Type.String({ pattern: idPattern('signIn') }),
    at: Timestamp,
    ip: Type.Union([Type.String(), Type.Null()], { description: 'The network address.' }),
    userAgent: Type.Union([Type.String(), Type.Null()], {
      description: 'The user agent of the client; printable characters only, at most 200.',
    }),
    outcome: Type.Enum(['ok', 'failed'], {
      description: '`failed`: the password, or the code of the second factor, was wrong.',
    }),
  },
  { $id: 'SignIn' },
);
export type SignIn = Static<typeof SignIn>;

const { signIns, nextCursor } = pageSchema('signIns', SignIn).properties;
const { limit, after } = paging;

/** Routes of sign-ins: `decisions.md 19.12`. */
export const routes = defineRoutes({
  listSignIns: {
    method: 'GET',
    path: '/api/me/sign-ins',
    access: 'user',
    summary: 'List your sign-ins',
    description: 'Newest first, of the last 90 days, at most the last 10,000. Includes failed sign-ins.',
    query: Type.Object({ limit, after }),
    answer: [200, Type.Object({ signIns, nextCursor })],
  },
});
