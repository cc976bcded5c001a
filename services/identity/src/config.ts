import type { KeyObject } from 'node:crypto';
import { defineConfig, ed25519Key, type ServiceContext } from '@waybill/kernel';
import Type from 'typebox';
import type { Tables } from './tables.ts';

export interface Config {
  /** Signs the access tokens of users. */
  userTokenKey: KeyObject;
  /** The `iss` of those tokens. */
  issuer: string;
}

export type Context = ServiceContext<Config, Tables>;

export const config = defineConfig(
  Type.Object({
    WAYBILL_USER_TOKEN_KEY: Type.String({ description: 'Seed of an Ed25519 key: 32 bytes in base64url.' }),
    PUBLIC_BASE_URL: Type.String({ default: 'waybill', description: 'Where clients reach the system.' }),
  }),
  (env): Config => {
    try {
      return { userTokenKey: ed25519Key(env.WAYBILL_USER_TOKEN_KEY), issuer: env.PUBLIC_BASE_URL };
    } catch (error) {
      throw new Error(`WAYBILL_USER_TOKEN_KEY: ${(error as Error).message}`);
    }
  },
);
