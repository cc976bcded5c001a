/**
 * Forbids parsing strings as HTML in browsers with Trusted Types. Only the empty string is allowed, because React Aria
 * clears its announcements with it.
 */
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string | null }): void };
};
trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? text : null) });

export {};
