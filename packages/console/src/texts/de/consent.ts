import type english from '../en/consent.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: '{app} verbinden',
  by: 'von {org}',
  store: 'Shop',
  asks: '{app} darf dann',
  asksNothing: '{app} braucht keinen Zugriff auf Ihre Daten.',
  connects: 'Auf Ihren Seiten verbindet sie sich mit',
  agree: 'Zugriff erlauben',
  again: 'Weiter',
  decline: 'Ablehnen',
  leadsTo: 'Sie werden zu {host} weitergeleitet.',
  alreadyThere: '{app} ist in diesem Shop bereits mit diesen Berechtigungen installiert:',
  disabled: '{app} ist in diesem Shop deaktiviert. Aktivieren Sie sie zuerst unter Apps.',
  noStore: 'Sie verwalten keinen Shop. Nur Admins und Inhaber können Apps installieren.',
  changed: 'Die Berechtigungen haben sich gerade geändert. Bitte prüfen Sie sie noch einmal.',
  broken: 'Dieser Link ist unvollständig. Beginnen Sie in der App von vorn.',
};

export default words;
