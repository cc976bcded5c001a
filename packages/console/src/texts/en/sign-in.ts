const words = {
  title: 'Sign in',
  intro:
    'Waybill is an open platform for online stores: products, orders, your website and the apps around them.',
  signIn: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  codeHint: 'From your authenticator app, or one of your recovery codes.',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  register: 'Create an account',
  againTitle: 'Sign in again',
  againHint:
    'Your session has ended. Nothing is lost: your changes are kept here and saved once you sign in.',
  demo: 'This is a development system with a demo. Sign in as:',

  registerTitle: 'Create your account',
  name: 'Your name',
  passwordHint: 'At least 10 characters; three words are a good one.',
  haveAccount: 'You have an account?',

  forgotTitle: 'Forgot your password?',
  forgotHint: 'We send a link with which you set a new one.',
  sendLink: 'Send the link',
  sentTitle: 'Look into your mail',
  sentHint: (email: string) =>
    `If there is an account for ${email}, a link is on its way. It is good for an hour.`,

  resetTitle: 'Set a new password',
  newPassword: 'New password',
  setPassword: 'Set the password',
  resetDone: 'Your password is set. Sign in with it; all other sessions have ended.',

  verifyTitle: 'Your e-mail address',
  verified: 'Your address is confirmed.',
  verifyFailed:
    'This link has been used, or is too old. Under Your account you see whether your address is confirmed, and can send yourself another.',
  goOn: 'Go on',

  invitationTitle: 'You are invited',
  invitationHint: 'Accept the invitation as',
  accept: 'Accept',
  otherAccount: 'Use another account',
  invitationRefused: (email: string) =>
    `This link is wrong, used or too old, or the invitation is for another address than ${email}.`,
  invitationUnverified:
    'Confirm your e-mail address first: follow the link that we have mailed you, and you come back here. Under Your account you can have it sent again.',
  notNow: 'Not now',
  invitationDone: 'Welcome. You are a member now.',
  signInFirst: 'Sign in or create an account with the invited address first.',
};

export default words;
export type SignInWords = typeof words;
