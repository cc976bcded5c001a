import { hostHeader, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { lifeMs } from './sessions.ts';

type Headers = RouteRequest['headers'];

/** The cookie in which a browser keeps the refresh token of a console's session: `decisions.md 15.8`. */
export interface SessionCookie {
  /** Whether a request contains the cookie, with any value. */
  isSent(headers: Headers): boolean;
  /** Whether, according to the browser, a page of the requested origin sent the request. */
  isSameOrigin(headers: Headers): boolean;
  /**
   * Returns the refresh token, or null if there is none or more than one: the second one was set by another host of the
   * parent domain. Throws `cross_origin` unless a page of this origin sent the request.
   */
  read(headers: Headers): string | null;
  /** Returns the `Set-Cookie` header that stores a token for its lifetime. */
  serialize(refreshToken: string): string;
  /** The `Set-Cookie` header that deletes the token. */
  readonly clear: string;
}

/**
 * Creates the cookie, which browsers send only to identity's paths below `/api/auth` and only to the host that set it.
 * With https, the prefix in its name proves that https set it. With http, the name contains the port, because cookies
 * ignore ports and several systems may run on one machine.
 */
export function createSessionCookie({ publicUrl }: Pick<Config, 'publicUrl'>): SessionCookie {
  const isSecure = publicUrl?.protocol === 'https:';
  const name = isSecure ? '__Secure-waybill-session' : `waybill-session-${publicUrl?.port || '80'}`;
  const attributes = `Path=/api/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

  const valuesIn = ({ cookie }: Headers): string[] =>
    String(cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1));

  // TLS ends in front of this server, so only the setting tells the scheme. A page cannot choose the host name that its
  // browser sends.
  function listOrigins(host: unknown): (string | undefined)[] {
    return [publicUrl?.origin, URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)?.origin];
  }

  function isSameOrigin(headers: Headers): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const { origin } = headers;
    return typeof origin === 'string' && listOrigins(headers[hostHeader]).includes(origin);
  }

  return {
    isSent: (headers) => valuesIn(headers).length > 0,
    isSameOrigin,
    read(headers) {
      if (!isSameOrigin(headers)) throw errors.cross_origin();
      const [value, ...others] = valuesIn(headers);
      return value && others.length === 0 ? value : null;
    },
    serialize: (refreshToken) => `${name}=${refreshToken}; Max-Age=${lifeMs / 1000}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  };
}
