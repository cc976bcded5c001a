import { subscriptions } from '@waybill/contracts';
import { aggregate, defineService, FairSemaphore } from '@waybill/kernel';
import { handlers as apiKeyHandlers } from './api-keys/handlers.ts';
import { routes as apiKeyRoutes } from './api-keys/routes.ts';
import { type Config, config, type State } from './config.ts';
import { queueCustomerMails } from './customer-mails/events.ts';
import { handlers as customerMailHandlers } from './customer-mails/handlers.ts';
import { createMailRenderer } from './customer-mails/rendering/renderer.ts';
import { routes as customerMailRoutes } from './customer-mails/routes.ts';
import { handlers as departureHandlers } from './departures/handlers.ts';
import { routes as departureRoutes } from './departures/routes.ts';
import { handlers as developmentStoreHandlers } from './development-stores/handlers.ts';
import { routes as developmentStoreRoutes } from './development-stores/routes.ts';
import { checkDomains } from './domains/domains.ts';
import { handlers as domainHandlers } from './domains/handlers.ts';
import { createRecords } from './domains/records.ts';
import { routes as domainRoutes } from './domains/routes.ts';
import { errors } from './errors.ts';
import { sweepSlugs } from './former-addresses/former-addresses.ts';
import { handlers as invitationHandlers } from './invitations/handlers.ts';
import { sweepInvitations } from './invitations/invitations.ts';
import { routes as invitationRoutes } from './invitations/routes.ts';
import { listLimits } from './limits/limits.ts';
import { measureMail, queueOrderMails, queueRequestedMails, sweepMails } from './mail/mail.ts';
import { openTransport } from './mail/transport.ts';
import { mailTask } from './mail-sending/sending.ts';
import { handlers as memberHandlers } from './members/handlers.ts';
import { routes as memberRoutes } from './members/routes.ts';
import { handlers as notificationHandlers } from './notifications/handlers.ts';
import { routes as notificationRoutes } from './notifications/routes.ts';
import { handlers as rightsHandlers } from './rights/handlers.ts';
import { routes as rightsRoutes } from './rights/routes.ts';
import { handlers as secondFactorHandlers } from './second-factor/handlers.ts';
import { resealSecrets, sealed } from './second-factor/resealing.ts';
import { routes as secondFactorRoutes } from './second-factor/routes.ts';
import { handlers as signInHandlers } from './sign-ins/handlers.ts';
import { routes as signInRoutes } from './sign-ins/routes.ts';
import { sweepSignIns } from './sign-ins/sign-ins.ts';
import { handlers as storeHandlers } from './stores/handlers.ts';
import { routes as storeRoutes } from './stores/routes.ts';
import type { Tables } from './tables.ts';
import { handlers as userHandlers } from './users/handlers.ts';
import { routes as userRoutes } from './users/routes.ts';
import { sweepSessions } from './users/sessions.ts';

/**
 * The identity service: users, their tokens and mails, stores, members and roles, invitations, API keys.
 * `decisions.md 8, 15`.
 */
export const identity = defineService<Config, Tables, State>({
  name: 'identity',
  config,
  usesCache: true,
  migrations: new URL('../migrations/', import.meta.url),
  errors,
  sealed,
  start: ({ config, log }) => ({
    mail: openTransport(config.mail, log),
    customerMails: createMailRenderer(),
    records: createRecords(config.dnsServers),
    hashing: {
      login: new FairSemaphore({ concurrency: 2, maxWaiting: 256 }),
      other: new FairSemaphore({ concurrency: 1, maxWaiting: 128 }),
    },
  }),
  aggregates: [
    aggregate(userRoutes, userHandlers),
    aggregate(signInRoutes, signInHandlers),
    aggregate(notificationRoutes, notificationHandlers),
    aggregate(secondFactorRoutes, secondFactorHandlers),
    aggregate(departureRoutes, departureHandlers),
    aggregate(storeRoutes, storeHandlers),
    aggregate(developmentStoreRoutes, developmentStoreHandlers),
    aggregate(domainRoutes, domainHandlers),
    aggregate(memberRoutes, memberHandlers),
    aggregate(invitationRoutes, invitationHandlers),
    aggregate(apiKeyRoutes, apiKeyHandlers),
    aggregate(rightsRoutes, rightsHandlers),
    aggregate(customerMailRoutes, customerMailHandlers),
  ],
  limits: listLimits,
  subscriptions: (context) => [
    { ...subscriptions.identityMail, batch: 100, handle: (events) => queueRequestedMails(context, events) },
    { ...subscriptions.identityOrders, batch: 100, handle: (events) => queueOrderMails(context, events) },
    {
      ...subscriptions.identityCustomerMails,
      batch: 100,
      handle: (events) => queueCustomerMails(context, events),
    },
  ],
  tasks: (context) => [
    { name: 'sweep-sessions', everyMs: 3_600_000, run: () => sweepSessions(context.db) },
    { name: 'sweep-sign-ins', everyMs: 3_600_000, run: () => sweepSignIns(context.db) },
    { name: 'sweep-slugs', everyMs: 3_600_000, run: () => sweepSlugs(context) },
    { name: 'sweep-invitations', everyMs: 3_600_000, run: () => sweepInvitations(context) },
    // No request wakes this task, so that response times do not reveal whether a mail will be sent.
    { name: 'send-mails', everyMs: 1_000, run: mailTask(context) },
    { name: 'check-domains', everyMs: 1_000, run: () => checkDomains(context) },
    { name: 'measure-mails', everyMs: 15_000, run: () => measureMail(context) },
    resealSecrets(context),
    { name: 'sweep-mails', everyMs: 3_600_000, run: () => sweepMails(context) },
  ],
  async close({ state }) {
    state.records.close();
    await state.customerMails.close();
    await state.mail.close();
  },
});
