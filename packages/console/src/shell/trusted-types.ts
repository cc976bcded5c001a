/** Where browsers have Trusted Types, no text becomes markup; but React Aria clears its announcements by writing none. */
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string | null }): void };
};
trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? text : null) });

export {};
