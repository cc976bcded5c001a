import type { SignInWords } from '../en/sign-in.ts';

const words: SignInWords = {
  intro:
    'Waybill ist eine offene Plattform für Onlineshops: Produkte, Bestellungen, Ihre Website und die Apps dazu.',
  title: 'Anmelden',
  signIn: 'Anmelden',
  email: 'E-Mail',
  password: 'Passwort',
  code: 'Code',
  codeHint: 'Aus Ihrer Authenticator-App, oder einer Ihrer Wiederherstellungscodes.',
  forgot: 'Passwort vergessen?',
  noAccount: 'Noch kein Konto?',
  register: 'Konto anlegen',
  againTitle: 'Noch einmal anmelden',
  againHint:
    'Ihre Sitzung ist zu Ende. Nichts geht verloren: Ihre Änderungen bleiben hier und werden gespeichert, sobald Sie sich anmelden.',
  demo: 'Das ist ein Entwicklungssystem mit Demo. Anmelden als:',

  registerTitle: 'Konto anlegen',
  name: 'Ihr Name',
  passwordHint: 'Mindestens 10 Zeichen; drei Wörter sind ein gutes Passwort.',
  haveAccount: 'Sie haben ein Konto?',

  forgotTitle: 'Passwort vergessen?',
  forgotHint: 'Wir schicken einen Link, mit dem Sie ein neues setzen.',
  sendLink: 'Link schicken',
  sentTitle: 'Sehen Sie in Ihre Mails',
  sentHint: (email) => `Gibt es ein Konto für ${email}, ist ein Link unterwegs. Er gilt eine Stunde.`,

  resetTitle: 'Neues Passwort setzen',
  newPassword: 'Neues Passwort',
  setPassword: 'Passwort setzen',
  resetDone: 'Ihr Passwort ist gesetzt. Melden Sie sich damit an; alle anderen Sitzungen sind beendet.',

  verifyTitle: 'Ihre E-Mail-Adresse',
  verified: 'Ihre Adresse ist bestätigt.',
  verifyFailed:
    'Dieser Link ist verbraucht oder zu alt. Unter Ihr Konto sehen Sie, ob Ihre Adresse bestätigt ist, und können sich einen neuen schicken.',
  goOn: 'Weiter',

  invitationTitle: 'Sie sind eingeladen',
  invitationHint: 'Einladung annehmen als',
  accept: 'Annehmen',
  otherAccount: 'Anderes Konto verwenden',
  invitationRefused: (email) =>
    `Dieser Link ist falsch, verbraucht oder zu alt, oder die Einladung gilt einer anderen Adresse als ${email}.`,
  invitationUnverified:
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Folgen Sie dem Link in der Mail an Sie, er führt wieder hierher. Unter Ihr Konto können Sie ihn noch einmal anfordern.',
  notNow: 'Nicht jetzt',
  invitationDone: 'Willkommen. Sie sind jetzt Mitglied.',
  signInFirst: 'Melden Sie sich zuerst mit der eingeladenen Adresse an, oder legen Sie ein Konto an.',
};

export default words;
