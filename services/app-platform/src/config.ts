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
    PUBLIC_BASE_URL: Type.String({ default: '', description: 'The URL where clients reach the system.' }),
  }),
  (env) => ({
    /** The object store of modules and icons; null when this deployment cannot store uploads. */
    objectStore: openObjectStore(env),
    /** Addresses at which apps may be called although the address rule forbids them. */
    trustedTargets: readTrustedTargets(env),
    publicBaseUrl: env.PUBLIC_BASE_URL.replace(/(?<!\/)\/+$/, ''),
  }),
);

export type Config = ReturnType<(typeof config)['read']>;

/** The state that each copy of the service keeps in memory. */
export interface State {
  vocabulary: ServedVocabulary;
  shownBlocks: ShownBlocks;
}
export type Context = ServiceContext<Config, Tables, State>;
/** A write to the service's database. */
export type Write = WriteContext<Tables>;
