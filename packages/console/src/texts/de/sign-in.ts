import type english from '../en/sign-in.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Anmelden',
  intro:
    'Waybill ist eine offene Plattform für Onlineshops: Produkte, Bestellungen, Ihre Website und die Apps dazu.',
  signIn: 'Anmelden',
  email: 'E-Mail',
  password: 'Passwort',
  code: 'Code',
  codeHint: 'Aus Ihrer Authenticator-App oder ein Wiederherstellungscode.',
  forgot: 'Passwort vergessen?',
  noAccount: 'Noch kein Konto?',
  register: 'Konto anlegen',
  againTitle: 'Erneut anmelden',
  againHint:
    'Ihre Sitzung ist abgelaufen. Nichts geht verloren: Ihre Änderungen bleiben hier und werden gespeichert, sobald Sie sich anmelden.',
  demo: 'Demo-Konten für dieses Entwicklungssystem:',

  registerTitle: 'Konto anlegen',
  name: 'Ihr Name',
  passwordHint: 'Mindestens 10 Zeichen. Drei zufällige Wörter eignen sich gut.',
  haveAccount: 'Schon ein Konto?',

  forgotTitle: 'Passwort vergessen?',
  forgotHint: 'Geben Sie Ihre E-Mail-Adresse ein. Wir schicken Ihnen einen Link zum Zurücksetzen.',
  sendLink: 'Link schicken',
  sentTitle: 'Prüfen Sie Ihre E-Mails',
  sentHint: 'Gibt es ein Konto für {email}, haben wir einen Link gesendet. Er gilt eine Stunde.',

  resetTitle: 'Neues Passwort festlegen',
  newPassword: 'Neues Passwort',
  setPassword: 'Passwort festlegen',
  resetDone:
    'Ihr Passwort wurde geändert, und alle Sitzungen wurden abgemeldet. Melden Sie sich mit dem neuen Passwort an.',

  verifyTitle: 'E-Mail-Bestätigung',
  verified: 'Ihre E-Mail-Adresse ist bestätigt.',
  verifyFailed:
    'Dieser Link ist ungültig oder abgelaufen. Auf Ihrer Kontoseite können Sie Ihre Adresse prüfen und einen neuen Link anfordern.',
  proceed: 'Weiter',

  invitationTitle: 'Sie wurden eingeladen',
  invitationHint: 'Einladung annehmen als',
  accept: 'Annehmen',
  otherAccount: 'Anderes Konto verwenden',
  invitationRefused: 'Dieser Link ist ungültig oder abgelaufen, oder die Einladung gilt nicht für {email}.',
  invitationUnverified:
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse: Der Link in unserer E-Mail führt wieder hierher. Einen neuen können Sie auf Ihrer Kontoseite anfordern.',
  notNow: 'Nicht jetzt',
  invitationDone: 'Willkommen! Sie sind jetzt Mitglied.',
  signInFirst: 'Melden Sie sich zuerst mit der eingeladenen E-Mail-Adresse an, oder legen Sie ein Konto an.',
};

export default words;
