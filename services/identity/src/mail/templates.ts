import type { Role } from '@waybill/contracts';
import { breakLinks } from './plain-names.ts';

/** The languages of the texts. */
export const locales = ['en', 'de'] as const;
export type Locale = (typeof locales)[number];

/** The words of a mail in plain text, which the frame escapes. */
interface Content {
  subject: string;
  paragraphs: readonly string[];
  action?: { label: string; url: string };
  /** Tells the reader why they got the mail. */
  reason: string;
}

type Texts<Data> = Record<Locale, (data: Data) => Content>;

/** The data of each template. `link` leads to the console and contains a token. */
export interface TemplateData {
  verify: { link: string };
  reset: { link: string };
  passwordChanged: Record<never, string>;
  totpOn: Record<never, string>;
  totpOff: Record<never, string>;
  recoveryCodeUsed: { left: string };
  accountDeleted: Record<never, string>;
  invitation: { link: string; sender: string; storeName: string; role: string };
  orgInvitation: { link: string; sender: string; orgName: string; role: string };
  endpointFailing: { storeName: string; host: string; endpointId: string };
  deliveryDead: { storeName: string; host: string; endpointId: string };
  endpointFailureRate: {
    storeName: string;
    host: string;
    endpointId: string;
    percent: string;
    minutes: string;
  };
  endpointDisabledSoon: { storeName: string; host: string; endpointId: string };
  endpointDisabled: { storeName: string; host: string; endpointId: string };
  paymentReturned: { storeName: string; orderNumber: string; amount: string };
  paymentDisputed: { storeName: string; orderNumber: string; amount: string };
  refundFailed: { storeName: string; orderNumber: string; amount: string; reason: string };
  sellerIncomplete: { storeName: string; orderNumber: string };
  mailsPutOff: { senderName: string };
  orderCreated: { storeName: string; number: string; total: string; link: string };
  appVersionApproved: { orgName: string; appName: string; number: string };
  appVersionRejected: { orgName: string; appName: string; number: string; reason: string };
  appSuspended: { orgName: string; appName: string };
  appRestored: { orgName: string; appName: string };
}
export type Template = keyof TemplateData;

const roles: Record<Locale, Record<Role | 'developer', string>> = {
  en: {
    viewer: 'a viewer',
    editor: 'an editor',
    admin: 'an admin',
    owner: 'an owner',
    developer: 'a developer',
  },
  de: {
    viewer: 'Betrachter/in',
    editor: 'Bearbeiter/in',
    admin: 'Administrator/in',
    owner: 'Inhaber/in',
    developer: 'Entwickler/in',
  },
};
const roleIn = (locale: Locale, role: string) => roles[locale][role as Role] ?? role;

/** The closing advice of mails about changes to an account. */
const ifNotYou = {
  en: 'If this was not you, someone else has access to your account: set a new password with “Forgot password”, which ends all sessions.',
  de: 'Wenn Sie das nicht waren, hat jemand anderes Zugriff auf Ihr Konto: Setzen Sie über „Passwort vergessen“ ein neues Passwort. Das beendet alle Sitzungen.',
};
const aboutAccount = {
  en: 'You are receiving this email because this is the address of your account at Waybill. These emails cannot be turned off.',
  de: 'Sie erhalten diese Mail, weil dies die Adresse Ihres Kontos bei Waybill ist. Solche Mails lassen sich nicht abstellen.',
};

/** Tells the reader why they got a mail about a review. */
const aboutApp = {
  en: (orgName: string) =>
    `You are receiving this email because you own the organisation ${orgName} at Waybill, or submitted its app for review.`,
  de: (orgName: string) =>
    `Sie erhalten diese Mail, weil Ihnen die Organisation ${orgName} bei Waybill gehört oder Sie deren App zur Prüfung eingereicht haben.`,
};

const templates: { readonly [T in Template]: Texts<TemplateData[T]> } = {
  verify: {
    en: ({ link }) => ({
      subject: 'Confirm your e-mail address',
      paragraphs: [
        'Welcome to Waybill. Please confirm that this address is yours. The link works once, for 7 days.',
        'If you did not register, ignore this email: without the link nobody can claim your address.',
      ],
      action: { label: 'Confirm address', url: link },
      reason: 'You are receiving this email because someone registered at Waybill with this address.',
    }),
    de: ({ link }) => ({
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      paragraphs: [
        'Willkommen bei Waybill. Bitte bestätigen Sie, dass diese Adresse Ihre ist. Der Link gilt einmal und 7 Tage lang.',
        'Wenn Sie sich nicht registriert haben, ignorieren Sie diese Mail: Ohne den Link kann niemand Ihre Adresse für sich beanspruchen.',
      ],
      action: { label: 'Adresse bestätigen', url: link },
      reason: 'Sie erhalten diese Mail, weil sich jemand mit dieser Adresse bei Waybill registriert hat.',
    }),
  },
  reset: {
    en: ({ link }) => ({
      subject: 'Set a new password',
      paragraphs: [
        'Use this link to set a new password. It works once, within an hour, and signs you out everywhere.',
        'If you did not request this, ignore this email: your password stays unchanged.',
      ],
      action: { label: 'Set a password', url: link },
      reason:
        'You are receiving this email because someone requested a new password for this address at Waybill.',
    }),
    de: ({ link }) => ({
      subject: 'Neues Passwort setzen',
      paragraphs: [
        'Mit diesem Link setzen Sie ein neues Passwort. Er gilt einmal und eine Stunde lang und meldet Sie überall ab.',
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese Mail: Ihr Passwort bleibt unverändert.',
      ],
      action: { label: 'Passwort setzen', url: link },
      reason:
        'Sie erhalten diese Mail, weil jemand bei Waybill ein neues Passwort für diese Adresse angefordert hat.',
    }),
  },
  passwordChanged: {
    en: () => ({
      subject: 'Your password was changed',
      paragraphs: ['The password of your account was changed. Other sessions have ended.', ifNotYou.en],
      reason: aboutAccount.en,
    }),
    de: () => ({
      subject: 'Ihr Passwort wurde geändert',
      paragraphs: ['Das Passwort Ihres Kontos wurde geändert. Andere Sitzungen sind beendet.', ifNotYou.de],
      reason: aboutAccount.de,
    }),
  },
  totpOn: {
    en: () => ({
      subject: 'Your second factor is on',
      paragraphs: [
        'Signing in to your account now requires a code from your authenticator app in addition to the password. Keep the recovery codes where you can find them without your phone.',
        ifNotYou.en,
      ],
      reason: aboutAccount.en,
    }),
    de: () => ({
      subject: 'Ihr zweiter Faktor ist eingeschaltet',
      paragraphs: [
        'Zur Anmeldung an Ihrem Konto gehört jetzt neben dem Passwort ein Code Ihrer Authenticator-App. Bewahren Sie die Wiederherstellungscodes dort auf, wo Sie sie ohne Ihr Telefon finden.',
        ifNotYou.de,
      ],
      reason: aboutAccount.de,
    }),
  },
  totpOff: {
    en: () => ({
      subject: 'Your second factor is off',
      paragraphs: ['Signing in to your account now requires only the password.', ifNotYou.en],
      reason: aboutAccount.en,
    }),
    de: () => ({
      subject: 'Ihr zweiter Faktor ist ausgeschaltet',
      paragraphs: ['Zur Anmeldung an Ihrem Konto genügt jetzt das Passwort.', ifNotYou.de],
      reason: aboutAccount.de,
    }),
  },
  recoveryCodeUsed: {
    en: ({ left }) => ({
      subject: 'A recovery code was used',
      paragraphs: [
        `One of your recovery codes was used in place of a code of your authenticator app. Codes left: ${left}.`,
        ifNotYou.en,
      ],
      reason: aboutAccount.en,
    }),
    de: ({ left }) => ({
      subject: 'Ein Wiederherstellungscode wurde benutzt',
      paragraphs: [
        `Einer Ihrer Wiederherstellungscodes wurde anstelle eines Codes Ihrer Authenticator-App benutzt. Noch übrig: ${left}.`,
        ifNotYou.de,
      ],
      reason: aboutAccount.de,
    }),
  },
  accountDeleted: {
    en: () => ({
      subject: 'Your account was deleted',
      paragraphs: ['Your account at Waybill was deleted at your request, confirmed with its password.'],
      reason: 'You are receiving this last email because this was the address of an account at Waybill.',
    }),
    de: () => ({
      subject: 'Ihr Konto wurde gelöscht',
      paragraphs: ['Ihr Konto bei Waybill wurde auf Ihren Wunsch gelöscht, bestätigt mit seinem Passwort.'],
      reason: 'Sie erhalten diese letzte Mail, weil dies die Adresse eines Kontos bei Waybill war.',
    }),
  },
  invitation: {
    en: ({ link, sender, storeName, role }) => ({
      subject: `${sender} invites you to ${storeName}`,
      paragraphs: [
        `${sender} invites you to work on the store ${storeName} as ${roleIn('en', role)}.`,
        'Sign in, or register with this address, to accept. The link works once, for 7 days.',
      ],
      action: { label: 'Accept the invitation', url: link },
      reason: `You are receiving this email because ${sender} entered this address at Waybill. Ignore it if you do not know them.`,
    }),
    de: ({ link, sender, storeName, role }) => ({
      subject: `${sender} lädt Sie zu ${storeName} ein`,
      paragraphs: [
        `${sender} lädt Sie ein, als ${roleIn('de', role)} am Shop ${storeName} mitzuarbeiten.`,
        'Melden Sie sich an, oder registrieren Sie sich mit dieser Adresse, um anzunehmen. Der Link gilt einmal und 7 Tage lang.',
      ],
      action: { label: 'Einladung annehmen', url: link },
      reason: `Sie erhalten diese Mail, weil ${sender} diese Adresse bei Waybill angegeben hat. Ignorieren Sie sie, wenn Ihnen der Name nichts sagt.`,
    }),
  },
  orgInvitation: {
    en: ({ link, sender, orgName, role }) => ({
      subject: `${sender} invites you to ${orgName}`,
      paragraphs: [
        `${sender} invites you to the organisation ${orgName}, which develops apps for Waybill, as ${roleIn('en', role)}.`,
        'Sign in, or register with this address, to accept. The link works once, for 7 days.',
      ],
      action: { label: 'Accept the invitation', url: link },
      reason: `You are receiving this email because ${sender} entered this address at Waybill. Ignore it if you do not know them.`,
    }),
    de: ({ link, sender, orgName, role }) => ({
      subject: `${sender} lädt Sie zu ${orgName} ein`,
      paragraphs: [
        `${sender} lädt Sie ein, als ${roleIn('de', role)} in der Organisation ${orgName} mitzuarbeiten, die Apps für Waybill entwickelt.`,
        'Melden Sie sich an, oder registrieren Sie sich mit dieser Adresse, um anzunehmen. Der Link gilt einmal und 7 Tage lang.',
      ],
      action: { label: 'Einladung annehmen', url: link },
      reason: `Sie erhalten diese Mail, weil ${sender} diese Adresse bei Waybill angegeben hat. Ignorieren Sie sie, wenn Ihnen der Name nichts sagt.`,
    }),
  },
  sellerIncomplete: {
    en: ({ storeName, orderNumber }) => ({
      subject: `${storeName}: invoices are waiting for your address`,
      paragraphs: [
        `Invoices are issued automatically, but order #${orderNumber} has none: an invoice must name the seller, with an address and a VAT ID or tax number.`,
        'Add the missing details in the console, under Settings → Documents. The waiting invoices are then issued.',
        'You will receive this email at most once a day.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, orderNumber }) => ({
      subject: `${storeName}: Rechnungen warten auf Ihre Adresse`,
      paragraphs: [
        `Rechnungen werden automatisch ausgestellt, aber für die Bestellung #${orderNumber} war das nicht möglich: Eine Rechnung muss den Verkäufer mit Adresse und USt-IdNr. oder Steuernummer nennen.`,
        'Ergänzen Sie die fehlenden Angaben in der Konsole unter „Einstellungen → Belege“. Die wartenden Rechnungen werden dann ausgestellt.',
        'Sie erhalten diese Mail höchstens einmal am Tag.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  endpointFailing: {
    en: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: a webhook is failing`,
      paragraphs: [
        `The last three calls to the webhook at ${host} (${endpointId}) have failed. Calls continue and are retried; the delivery history shows the replies.`,
        'You will receive this email for a webhook at most once a day.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: ein Webhook schlägt fehl`,
      paragraphs: [
        `Die letzten drei Aufrufe des Webhooks bei ${host} (${endpointId}) sind fehlgeschlagen. Weitere Aufrufe folgen und werden bei Fehlern wiederholt; die Antworten stehen im Verlauf der Zustellungen.`,
        'Sie erhalten diese Mail je Webhook höchstens einmal am Tag.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  deliveryDead: {
    en: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: a webhook call was given up`,
      paragraphs: [
        `A call to the webhook at ${host} (${endpointId}) has failed at every attempt and will not be retried automatically. You can resend it, along with later calls that were given up.`,
        'You will receive this email for a webhook at most once a day.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: ein Webhook-Aufruf wurde aufgegeben`,
      paragraphs: [
        `Ein Aufruf des Webhooks bei ${host} (${endpointId}) ist bei jedem Versuch fehlgeschlagen und wird nicht automatisch wiederholt. Sie können ihn und später aufgegebene Aufrufe erneut senden.`,
        'Sie erhalten diese Mail je Webhook höchstens einmal am Tag.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  endpointFailureRate: {
    en: ({ storeName, host, endpointId, percent, minutes }) => ({
      subject: `${storeName}: many calls to a webhook fail`,
      paragraphs: [
        `More than ${percent} % of the calls to the webhook at ${host} (${endpointId}) failed in the last ${minutes === '1' ? 'minute' : `${minutes} minutes`}. Calls continue and are retried; the delivery history shows the replies.`,
        'You will receive this alert for a webhook at most once a day. You can change it in the webhook’s settings.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, host, endpointId, percent, minutes }) => ({
      subject: `${storeName}: viele Aufrufe eines Webhooks schlagen fehl`,
      paragraphs: [
        `Mehr als ${percent} % der Aufrufe des Webhooks bei ${host} (${endpointId}) sind in ${minutes === '1' ? 'der letzten Minute' : `den letzten ${minutes} Minuten`} fehlgeschlagen. Weitere Aufrufe folgen und werden bei Fehlern wiederholt; die Antworten stehen im Verlauf der Zustellungen.`,
        'Sie erhalten diese Warnung je Webhook höchstens einmal am Tag. Ändern können Sie sie in den Einstellungen des Webhooks.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  endpointDisabledSoon: {
    en: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: a webhook will be switched off in a day`,
      paragraphs: [
        `All calls to the webhook at ${host} (${endpointId}) have failed for days. If none succeeds within a day, the webhook is switched off, according to its settings.`,
        'The check in the console shows why the calls fail.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: ein Webhook wird in einem Tag abgeschaltet`,
      paragraphs: [
        `Seit Tagen schlagen alle Aufrufe des Webhooks bei ${host} (${endpointId}) fehl. Gelingt innerhalb eines Tages keiner, wird der Webhook gemäß seinen Einstellungen abgeschaltet.`,
        'Die Prüfung in der Konsole zeigt, woran die Aufrufe scheitern.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  endpointDisabled: {
    en: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: a webhook was switched off`,
      paragraphs: [
        `All calls to the webhook at ${host} (${endpointId}) have failed for as many days as its settings allow, so it was switched off. Waiting calls are cancelled.`,
        'Once the receiver works, switch the webhook on again and replay the missed events.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, host, endpointId }) => ({
      subject: `${storeName}: ein Webhook wurde abgeschaltet`,
      paragraphs: [
        `Alle Aufrufe des Webhooks bei ${host} (${endpointId}) sind so viele Tage lang fehlgeschlagen, wie seine Einstellungen erlauben, daher wurde er abgeschaltet. Wartende Aufrufe wurden abgebrochen.`,
        'Sobald der Empfänger wieder arbeitet, schalten Sie den Webhook wieder ein und senden Sie die verpassten Ereignisse erneut.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  paymentReturned: {
    en: ({ storeName, orderNumber, amount }) => ({
      subject: `${storeName}: a payment for the cancelled order ${orderNumber} was refunded`,
      paragraphs: [
        `${amount} came in for order ${orderNumber} after it was cancelled, and was refunded automatically.`,
        'The order in the console shows both.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, orderNumber, amount }) => ({
      subject: `${storeName}: eine Zahlung für die stornierte Bestellung ${orderNumber} wurde erstattet`,
      paragraphs: [
        `${amount} gingen für die Bestellung ${orderNumber} ein, nachdem sie storniert worden war, und wurden automatisch erstattet.`,
        'Die Bestellung in der Konsole zeigt beides.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  refundFailed: {
    en: ({ storeName, orderNumber, amount, reason }) => ({
      subject: `${storeName}: a refund of order ${orderNumber} failed`,
      paragraphs: [
        `The payment provider did not refund ${amount} of order ${orderNumber}. You still have the money.`,
        ...(reason === '' ? [] : [`The provider says: ${reason}`]),
        'Open the order in the console and refund it again, or pay the money back another way.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, orderNumber, amount, reason }) => ({
      subject: `${storeName}: eine Erstattung zur Bestellung ${orderNumber} ist fehlgeschlagen`,
      paragraphs: [
        `Der Zahlungsanbieter hat ${amount} zur Bestellung ${orderNumber} nicht erstattet. Das Geld liegt noch bei Ihnen.`,
        ...(reason === '' ? [] : [`Der Anbieter sagt: ${reason}`]),
        'Öffnen Sie die Bestellung in der Konsole und erstatten Sie erneut, oder zahlen Sie das Geld auf anderem Weg zurück.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  paymentDisputed: {
    en: ({ storeName, orderNumber, amount }) => ({
      subject: `${storeName}: the payment of order ${orderNumber} is disputed`,
      paragraphs: [
        `The buyer of order ${orderNumber} disputes a payment; ${amount} is at stake. The order stays unchanged.`,
        'Answer the dispute at the payment provider in time: its dashboard shows the deadline and the required evidence.',
      ],
      reason: `You are receiving this email because you manage the store ${storeName} at Waybill.`,
    }),
    de: ({ storeName, orderNumber, amount }) => ({
      subject: `${storeName}: die Zahlung der Bestellung ${orderNumber} wird angefochten`,
      paragraphs: [
        `Der Käufer der Bestellung ${orderNumber} ficht eine Zahlung an; es geht um ${amount}. Die Bestellung bleibt unverändert.`,
        'Antworten Sie rechtzeitig beim Zahlungsanbieter: Dort stehen die Frist und die nötigen Nachweise.',
      ],
      reason: `Sie erhalten diese Mail, weil Sie den Shop ${storeName} bei Waybill verwalten.`,
    }),
  },
  mailsPutOff: {
    en: ({ senderName }) => ({
      subject: `${senderName}: further mails go out tomorrow`,
      paragraphs: [
        `In their first seven days, stores and organisations send mail to at most 50 different people a day outside their members. ${senderName} has reached that number today.`,
        'Further receipts and invitations go out from tomorrow. None is lost.',
        'You will receive this email at most once a day.',
      ],
      reason: `You are receiving this email because you own ${senderName} at Waybill.`,
    }),
    de: ({ senderName }) => ({
      subject: `${senderName}: weitere Mails gehen morgen hinaus`,
      paragraphs: [
        `In ihren ersten sieben Tagen schicken Shops und Organisationen täglich höchstens 50 verschiedenen Personen Mails, die keine Mitglieder sind. Heute hat ${senderName} diese Zahl erreicht.`,
        'Weitere Bestellbestätigungen und Einladungen warten und gehen ab morgen hinaus. Keine geht verloren.',
        'Sie erhalten diese Mail höchstens einmal am Tag.',
      ],
      reason: `Sie erhalten diese Mail, weil ${senderName} bei Waybill Ihnen gehört.`,
    }),
  },
  orderCreated: {
    en: ({ storeName, number, total, link }) => ({
      subject: `${storeName}: new order ${number}`,
      paragraphs: [`${storeName} has a new order, number ${number}, of ${total}.`],
      action: { label: 'See the order', url: link },
      reason: `You are receiving this email because you receive order notifications of ${storeName}. You can turn them off in your account at Waybill.`,
    }),
    de: ({ storeName, number, total, link }) => ({
      subject: `${storeName}: neue Bestellung ${number}`,
      paragraphs: [`${storeName} hat eine neue Bestellung, Nummer ${number}, über ${total}.`],
      action: { label: 'Bestellung ansehen', url: link },
      reason: `Sie erhalten diese Mail, weil Sie Benachrichtigungen über Bestellungen bei ${storeName} erhalten. In Ihrem Konto bei Waybill können Sie sie abstellen.`,
    }),
  },
  appVersionApproved: {
    en: ({ orgName, appName, number }) => ({
      subject: `${appName} ${number} is approved`,
      paragraphs: [
        `Version ${number} of ${appName} has been approved. Stores can install it now; stores with the app are updated automatically, or once they consent to the additional permissions.`,
      ],
      reason: aboutApp.en(orgName),
    }),
    de: ({ orgName, appName, number }) => ({
      subject: `${appName} ${number} ist freigegeben`,
      paragraphs: [
        `Version ${number} von ${appName} wurde freigegeben. Shops können sie ab jetzt installieren; Shops mit der App erhalten sie automatisch oder, wenn sie mehr Berechtigungen verlangt, nach ihrer Zustimmung.`,
      ],
      reason: aboutApp.de(orgName),
    }),
  },
  appVersionRejected: {
    en: ({ orgName, appName, number, reason }) => ({
      subject: `${appName} ${number} was not approved`,
      paragraphs: [
        `Version ${number} of ${appName} has been reviewed and was not approved. The reviewer says:`,
        ...splitLines(reason),
        'A rejected version cannot change. You can create a new version from it.',
      ],
      reason: aboutApp.en(orgName),
    }),
    de: ({ orgName, appName, number, reason }) => ({
      subject: `${appName} ${number} wurde nicht freigegeben`,
      paragraphs: [
        `Version ${number} von ${appName} wurde geprüft und nicht freigegeben. Die Begründung:`,
        ...splitLines(reason),
        'Eine abgelehnte Version lässt sich nicht mehr ändern. Sie können sie in eine neue Version kopieren.',
      ],
      reason: aboutApp.de(orgName),
    }),
  },
  appSuspended: {
    en: ({ orgName, appName }) => ({
      subject: `${appName} is suspended`,
      paragraphs: [
        `The platform has taken ${appName} out of service: no store can install it, its tokens are rejected, and its blocks are hidden everywhere. Nothing was deleted.`,
        'A new version can be submitted meanwhile; the app comes back when a reviewer restores it.',
      ],
      reason: aboutApp.en(orgName),
    }),
    de: ({ orgName, appName }) => ({
      subject: `${appName} ist gesperrt`,
      paragraphs: [
        `Die Plattform hat ${appName} außer Betrieb genommen: Kein Shop kann sie installieren, ihre Token werden abgelehnt, ihre Blöcke sind nirgends zu sehen. Gelöscht wurde nichts.`,
        'Eine neue Version kann inzwischen eingereicht werden; zurück kommt die App, wenn die Prüfung sie wieder zulässt.',
      ],
      reason: aboutApp.de(orgName),
    }),
  },
  appRestored: {
    en: ({ orgName, appName }) => ({
      subject: `${appName} is back in service`,
      paragraphs: [
        `The platform has put ${appName} back into service. Stores that have it see its blocks again within seconds, and its tokens work again.`,
      ],
      reason: aboutApp.en(orgName),
    }),
    de: ({ orgName, appName }) => ({
      subject: `${appName} ist wieder in Betrieb`,
      paragraphs: [
        `Die Plattform hat ${appName} wieder in Betrieb genommen. Shops, die sie haben, zeigen ihre Blöcke in wenigen Sekunden wieder, und ihre Token gelten wieder.`,
      ],
      reason: aboutApp.de(orgName),
    }),
  },
};

export const templateNames = Object.keys(templates) as readonly Template[];

/** Whether a template exists in this version. Newer versions may queue others. */
export const isTemplate = (name: string): name is Template => Object.hasOwn(templates, name);

const longestName = 60;
const longestText = 5_000;

/**
 * Cleans a name for a mail: one line of at most 60 characters, without invisible characters and without anything that a
 * mail program turns into a link. People choose names freely, and a subject is a header.
 */
export function cleanName(name: string): string {
  // Cuts the text first, so that a user's long name cannot slow down the cleaning.
  const start = name.slice(0, longestText);
  const line = [...breakLinks(start.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim()).trim()];
  return line.length > longestName ? `${line.slice(0, longestName - 1).join('')}…` : line.join('');
}

/** Splits a longer text into lines, which are cleaned separately. */
const splitLines = (text: string): string[] => text.split('\n');
const cleanText = (text: string): string =>
  text
    .slice(0, longestText)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

/** How to clean each value of a mail's data. Values without an entry are treated as names. */
const cleaners: Readonly<Record<string, (text: string) => string>> = {
  link: (link) => link,
  total: (total) => total.replace(/[\p{C}\p{Z}\s]+/gu, ' ').trim(),
  reason: cleanText,
  lines: cleanText,
};

/** A rendered mail, ready to send. */
export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

/**
 * Renders a template in a language. `data` is the template's TemplateData, and may hold more. Names and texts in it are
 * cleaned; the link is used unchanged.
 */
export function renderMail(
  template: Template,
  locale: Locale,
  data: Readonly<Record<string, string>>,
): RenderedMail {
  const cleaned = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, (cleaners[key] ?? cleanName)(value)]),
  );
  const content = templates[template][locale] as (data: object) => Content;
  return frame(locale, content(cleaned));
}

function frame(locale: Locale, { subject, paragraphs, action, reason }: Content): RenderedMail {
  const text = [...paragraphs, ...(action ? [`${action.label}: ${action.url}`] : []), '-- ', reason];
  const button = action
    ? [
        html`<p style="margin:24px 0"><a href="${action.url}" style="background:#1f4fd8;border-radius:6px;color:#ffffff;display:inline-block;padding:12px 20px;text-decoration:none">${action.label}</a></p>`,
        html`<p style="color:#555555;font-size:13px;margin:0 0 16px;word-break:break-all">${action.url}</p>`,
      ]
    : [];
  const lines = [
    '<!doctype html>',
    html`<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${subject}</title></head>`,
    '<body style="background:#ffffff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif;margin:0;padding:24px">',
    '<div style="margin:0 auto;max-width:560px">',
    html`<h1 style="font-size:20px;margin:0 0 16px">${subject}</h1>`,
    ...paragraphs.map((paragraph) => html`<p style="margin:0 0 16px">${paragraph}</p>`),
    ...button,
    html`<p style="border-top:1px solid #dddddd;color:#555555;font-size:13px;margin:24px 0 0;padding-top:12px">${reason}</p>`,
    '</div></body></html>',
  ];
  return { subject, text: `${text.join('\n\n')}\n`, html: `${lines.join('\n')}\n` };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Builds markup and escapes the inserted values for elements and for quoted attributes. */
function html(markup: TemplateStringsArray, ...values: string[]): string {
  return String.raw(
    { raw: markup },
    ...values.map((value) => value.replace(/[&<>"']/g, (c) => entities[c]!)),
  );
}
