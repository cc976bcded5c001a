import type { Compiled } from '../messages.ts';

const words = {
  title: 'Sign in to the command line',
  asks: 'The Waybill CLI on this computer wants to sign in as {name}.',
  only: 'Only approve this if you’ve just run “waybill login”. The CLI can do everything you can until you sign it out on your account page.',
  compare: 'Check that your terminal shows the same code:',
  agree: 'Approve',
  decline: 'Decline',
  broken: 'This link is incomplete. Run “waybill login” again.',
} as const;

export default words;
export type LoginCodeWords = Compiled<typeof words>;
