import type english from '../en/login-code.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'In der Kommandozeile anmelden',
  asks: 'Das Waybill-CLI auf diesem Computer möchte sich als {name} anmelden.',
  only: 'Stimmen Sie nur zu, wenn Sie gerade „waybill login“ aufgerufen haben. Das CLI kann alles, was Sie können, bis Sie es auf Ihrer Kontoseite abmelden.',
  compare: 'Prüfen Sie, ob Ihr Terminal denselben Code zeigt:',
  agree: 'Zustimmen',
  decline: 'Ablehnen',
  broken: 'Dieser Link ist unvollständig. Rufen Sie „waybill login“ erneut auf.',
};

export default words;
