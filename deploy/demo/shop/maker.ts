import type { Got } from 'got';

/** Sends requests that take effect once, however often they are sent. */
export interface Maker {
  api: Got;
  /** Returns the answer of a POST; `name` identifies the request within the demo. */
  post<Answer>(path: string, name: string, json: object): Promise<Answer>;
}
