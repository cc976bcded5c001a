import type { Compiled } from '../messages.ts';

const words = {
  title: 'API keys',
  subtitle: 'Use API keys to connect your own apps and scripts to this store.',
  new: 'New key',
  empty: 'No keys yet',
  emptyHint: 'Create a separate key for each app you connect, so you can revoke it on its own.',
  count: '{count, plural, one {# key} other {# keys}}',
  scopes: 'Access',
  lastUsed: 'Last used',
  never: 'Never',
  revoked: 'Revoked',
  revoke: 'Revoke',
  revokeTitle: 'Revoke “{name}”?',
  revokeHint: 'Apps that use this key lose access immediately. You can’t undo this.',
  revokedDone: 'Key revoked',
  nameHint: 'For example, Accounting or Shop front',
  rights: 'Permissions',
  rightsHint: 'Only grant what’s needed. A key can’t do more than the member who created it.',
  readAndWrite: 'read and write',
  readOnly: 'read',
  writeOnly: 'write',
  readAll: 'Read everything',
  everything: 'Everything',
  nothing: 'Nothing',
  everythingShort: 'Everything',
  scopeOf: '{domain}: {rights}',
  created: 'Key created',
  secretTitle: 'Your new API key',
  secretWarning:
    'Copy it now: you won’t see it again. Anyone with this key can access your store, so keep it out of web pages and repositories.',
  secretUse: 'Send it with every request:',
  secretDone: 'I’ve saved it',
} as const;

export default words;
export type ApiKeyWords = Compiled<typeof words>;
