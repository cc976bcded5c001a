/** The parameters of a redirect back to an app (RFC 6749, 4.1.2; RFC 9207). */
export interface RedirectParameters {
  code?: string;
  error?: string;
  error_description?: string;
  /** The app's own value; undefined when it sent none. */
  state: string | undefined;
  iss: string;
}

/**
 * Builds the address that leads back to an app. The registered address stays as it is written, including its query (RFC
 * 6749, 3.1.2; `decisions.md 14.1`).
 */
export function redirectTo(redirectUri: string, { state, iss, ...outcome }: RedirectParameters): string {
  const parameters = new URLSearchParams({ ...outcome, ...(state !== undefined && { state }), iss });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}
