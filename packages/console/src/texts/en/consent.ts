import type { Compiled } from '../messages.ts';

const words = {
  title: 'Connect {app}',
  by: 'by {org}',
  store: 'Store',
  asks: '{app} will be able to',
  asksNothing: '{app} doesn’t need access to your data.',
  connects: 'On your pages, it will connect to',
  agree: 'Allow access',
  again: 'Continue',
  decline: 'Decline',
  leadsTo: 'You’ll be redirected to {host}.',
  alreadyThere: '{app} is already installed in this store with these permissions:',
  disabled: '{app} is disabled in this store. Enable it under Apps first.',
  noStore: 'You don’t manage any stores. Only admins and owners can install apps.',
  changed: 'The permissions have just changed. Please review them again.',
  broken: 'This link is incomplete. Start again from the app.',
} as const;

export default words;
export type ConsentWords = Compiled<typeof words>;
