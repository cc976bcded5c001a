import type { Got } from 'got';

/** Sends requests that happen once, however often they are sent. */
export interface Maker {
  api: Got;
  /** What a POST has answered; `name` says which one of the demo's it is. */
  post<Answer>(path: string, name: string, json: object): Promise<Answer>;
}
