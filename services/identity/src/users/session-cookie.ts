import { hostHeader, type RouteRequest } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { lifeMs } from './sessions.ts';

type Headers = RouteRequest['headers'];

/** The cookie in which a browser keeps the refresh token of a console's session, `decisions.md 15.8`. */
export interface SessionCookie {
  /** Whether a request brings one, of whatever value. */
  isSent(headers: Headers): boolean;
  /** Whether a page of the origin that is asked sends the request, as its browser says. */
  isSameOrigin(headers: Headers): boolean;
  /**
   * The refresh token; null where there is none, or more than one: the second is somebody else's, for a domain around us.
   * Throws `cross_origin` unless a page of this origin asks.
   */
  read(headers: Headers): string | null;
  /** The `Set-Cookie` that keeps a token for as long as it lives. */
  keep(refreshToken: string): string;
  /** The `Set-Cookie` that takes the token away. */
  readonly clear: string;
}

/**
 * Only identity's paths below `/api/auth` get the cookie, and no host but the one that set it. With https its name says
 * that it came so; with http it says the port, as cookies know of none and several systems may run on one machine.
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

  // TLS ends in front of us, so only the setting tells the scheme. A page cannot choose the host that its browser names.
  function ownOrigins(host: unknown): (string | undefined)[] {
    return [publicUrl?.origin, URL.parse(`${isSecure ? 'https' : 'http'}://${host}`)?.origin];
  }

  function isSameOrigin(headers: Headers): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const { origin } = headers;
    return typeof origin === 'string' && ownOrigins(headers[hostHeader]).includes(origin);
  }

  return {
    isSent: (headers) => valuesIn(headers).length > 0,
    isSameOrigin,
    read(headers) {
      if (!isSameOrigin(headers)) throw errors.cross_origin();
      const [value, ...others] = valuesIn(headers);
      return value && others.length === 0 ? value : null;
    },
    keep: (refreshToken) => `${name}=${refreshToken}; Max-Age=${lifeMs / 1000}; ${attributes}`,
    clear: `${name}=; Max-Age=0; ${attributes}`,
  };
}
