/** What a redirect back to an app carries (RFC 6749, 4.1.2; RFC 9207). */
export interface RedirectParameters {
  code?: string;
  error?: string;
  error_description?: string;
  /** As the app has sent it; undefined: it sent none. */
  state: string | undefined;
  iss: string;
}

/**
 * The address that leads back to an app. What the app has registered stays as it is written, its query too (RFC 6749,
 * 3.1.2). `decisions.md 14.1`.
 */
export function redirectTo(redirectUri: string, { state, iss, ...outcome }: RedirectParameters): string {
  const parameters = new URLSearchParams({ ...outcome, ...(state !== undefined && { state }), iss });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}
