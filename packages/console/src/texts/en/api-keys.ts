import { plural } from '../texts.ts';

const words = {
  title: 'API keys',
  subtitle: 'With a key a program of yours reads and changes this store, as far as the key goes.',
  new: 'New key',
  empty: 'No keys yet',
  emptyHint: 'Make one for each program that you connect, so that each can be ended alone.',
  count: (count: number) => plural('en', count, { one: 'key', other: 'keys' }),
  scopes: 'May',
  lastUsed: 'Last used',
  never: 'Never',
  revoked: 'Revoked',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeHint:
    'What uses it is refused from the next request on. This cannot be taken back; a new key can take its place.',
  revokedDone: 'The key no longer works.',
  nameHint: 'What uses it: “Accounting”, “Shop front”.',
  rights: 'What it may do',
  rightsHint: 'Give it no more than it needs. A key can never do more than whoever made it.',
  readAndWrite: 'read and change',
  readOnly: 'read',
  writeOnly: 'change',
  readAll: 'Read everything',
  everything: 'Everything',
  nothing: 'Nothing',
  everythingShort: 'Everything',
  scopeOf: (domain: string, rights: string) => `${domain}: ${rights}`,
  created: 'The key is there.',
  secretTitle: 'Your new key',
  secretWarning:
    'Keep it now: it is not shown again. Whoever has it may do in this store what the key may; keep it out of pages and repositories.',
  secretUse: 'Sent with every request, so:',
  secretDone: 'I have kept it',
};

export default words;
export type ApiKeyWords = typeof words;
