import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

export const DemoAccounts = Type.Object({
  accounts: Type.Array(
    Type.Object({
      email: Type.String(),
      password: Type.String(),
      name: Type.String({ examples: ['Demo Merchant'] }),
      role: Type.Enum(['merchant', 'reviewer', 'developer']),
    }),
  ),
});
export type DemoAccounts = Static<typeof DemoAccounts>;

/** Routes of the demo: `decisions.md 9.3`. */
export const routes = defineRoutes({
  readDemoAccounts: {
    method: 'GET',
    path: '/api/demo',
    access: 'public',
    summary: 'List the demo accounts, for the sign-in page on a developer’s machine',
    description:
      'Only with `WAYBILL_DEMO=on` and on loopback: 404 if `PUBLIC_BASE_URL`, or the `Host` or sender of the ' +
      'request, is elsewhere, if a proxy has forwarded the request, and while there is no demo.',
    answer: [200, DemoAccounts],
  },
});
