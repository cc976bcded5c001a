import { defineConfig, type ServiceContext, type WriteContext } from '@waybill/kernel';
import { objectStoreSettings, openObjectStore } from '@waybill/object-store';
import { readTrustedTargets, trustedTargetsSetting } from '@waybill/outbound';
import Type from 'typebox';
import type { ServedVocabulary } from './contributions/vocabulary.ts';
import type { ShownBlocks } from './directory/blocks.ts';
import type { Tables } from './tables.ts';

/** The settings of the app platform, `decisions.md 6.2, 7.5, 9.5`. */
export const config = defineConfig(
  Type.Object({
    ...objectStoreSettings,
    ...trustedTargetsSetting,
    PUBLIC_BASE_URL: Type.String({ default: '', description: 'Where clients reach the system.' }),
  }),
  (env) => ({
    /** Where modules and icons are kept; null: this deployment cannot store uploads. */
    objectStore: openObjectStore(env),
    /** Where apps may be called though the address rule says no. */
    trustedTargets: readTrustedTargets(env),
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
  }),
);

export type Config = ReturnType<(typeof config)['read']>;

/** What one copy of the service keeps in memory. */
export interface State {
  vocabulary: ServedVocabulary;
  shownBlocks: ShownBlocks;
}
export type Context = ServiceContext<Config, Tables, State>;
/** A write to the service's database. */
export type Write = WriteContext<Tables>;
