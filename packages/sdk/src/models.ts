import type { components } from './api.ts';

/** A resource as the API returns it: `Model<'Product'>`. */
export type Model<Name extends keyof components['schemas']> = components['schemas'][Name];
