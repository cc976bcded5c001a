import { defineConfig } from '@waybill/kernel';
import Type from 'typebox';

/** The catalog has no settings of its own. */
export const config = defineConfig(Type.Object({}));
