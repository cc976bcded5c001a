export type { components, paths } from './api.ts';
export { type Client, type ClientOptions, createClient, pages } from './client.ts';
export { errorOf, isWaybillError, type Problem, WaybillError } from './errors.ts';
export type { Model } from './models.ts';
