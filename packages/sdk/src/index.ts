export type { components, paths } from './api.ts';
export { type Client, type ClientOptions, createClient, items, pages } from './client.ts';
export {
  type ErrorCode,
  isWaybillError,
  type Problem,
  readError as errorOf,
  WaybillError,
} from './errors.ts';
export * as events from './events.ts';
export type { Model } from './models.ts';
export {
  createOAuth,
  memoryTokens,
  type OAuth,
  type OAuthOptions,
  type Pending,
  type StoreTokens,
  type TokenStore,
} from './oauth.ts';
export { type MediaOptions, type Uploader, type UploadOptions, uploadMedia } from './uploads.ts';
export * as webhooks from './webhooks.ts';
