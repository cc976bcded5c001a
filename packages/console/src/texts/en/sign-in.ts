import type { Compiled } from '../messages.ts';

const words = {
  title: 'Sign in',
  intro:
    'Waybill is an open platform for online stores: products, orders, your website and the apps around them.',
  signIn: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  codeHint: 'From your authenticator app, or a recovery code.',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  register: 'Create an account',
  againTitle: 'Sign in again',
  againHint:
    'Your session has ended. Nothing is lost: your changes are kept here and saved once you sign in.',
  demo: 'Demo accounts for this development system:',

  registerTitle: 'Create your account',
  name: 'Your name',
  passwordHint: 'At least 10 characters. Three random words work well.',
  haveAccount: 'Already have an account?',

  forgotTitle: 'Forgot your password?',
  forgotHint: 'Enter your e-mail and we’ll send you a link to reset it.',
  sendLink: 'Send link',
  sentTitle: 'Check your e-mail',
  sentHint: 'If {email} has an account, we’ve sent a link. It’s valid for one hour.',

  resetTitle: 'Set a new password',
  newPassword: 'New password',
  setPassword: 'Set password',
  resetDone:
    'Your password has been changed, and all sessions were signed out. Sign in with your new password.',

  verifyTitle: 'E-mail verification',
  verified: 'Your e-mail address is verified.',
  verifyFailed:
    'This link is invalid or has expired. You can check your address and request a new link on your account page.',
  proceed: 'Continue',

  invitationTitle: 'You’ve been invited',
  invitationHint: 'Accept the invitation as',
  accept: 'Accept',
  otherAccount: 'Use a different account',
  invitationRefused: 'This link is invalid or has expired, or the invitation isn’t for {email}.',
  invitationUnverified:
    'Verify your e-mail address first: click the link we sent you to come back here. You can request a new link on your account page.',
  notNow: 'Not now',
  invitationDone: 'Welcome! You’re now a member.',
  signInFirst: 'Sign in or create an account with the invited e-mail address first.',
} as const;

export default words;
export type SignInWords = Compiled<typeof words>;
