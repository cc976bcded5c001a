import { demoReviewer, emailPattern } from '@waybill/contracts';
import { defineConfig, type ServiceContext } from '@waybill/kernel';
import { objectStoreSettings, openObjectStore } from '@waybill/object-store';
import Type from 'typebox';
import type { Tables } from './tables.ts';

/** The settings of the app platform, `decisions.md 7.5, 9.5`. */
export const config = defineConfig(
  Type.Object({
    ...objectStoreSettings,
    PUBLIC_BASE_URL: Type.String({ default: '', description: 'Where clients reach the system.' }),
    PLATFORM_REVIEWER_EMAILS: Type.String({
      default: '',
      description: 'Who may review app versions: e-mail addresses, separated by commas.',
    }),
    WAYBILL_DEMO: Type.Enum(['on', 'off'], {
      default: 'off',
      description: 'On: the reviewer of the demo may review too. Off, that address is anybody’s to register.',
    }),
  }),
  (env) => ({
    /** Where modules are kept; null: this deployment cannot store uploads. */
    objectStore: openObjectStore(env),
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/\/+$/, ''),
    /** In lower case. */
    reviewerEmails: new Set([
      ...readEmails(env.PLATFORM_REVIEWER_EMAILS),
      ...(env.WAYBILL_DEMO === 'on' ? [demoReviewer] : []),
    ]),
  }),
);

function readEmails(list: string): string[] {
  const emails = list
    .split(',')
    .map((email) => email.trim().toLowerCase())
    .filter(Boolean);
  const pattern = new RegExp(emailPattern, 'u');
  const wrong = emails.find((email) => !pattern.test(email));
  if (wrong) throw new Error(`PLATFORM_REVIEWER_EMAILS: ${JSON.stringify(wrong)} is not an e-mail address`);
  return emails;
}

export type Config = ReturnType<(typeof config)['read']>;
export type Context = ServiceContext<Config, Tables>;
