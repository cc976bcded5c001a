import type { LoginCodeWords } from '../en/login-code.ts';

const words: LoginCodeWords = {
  title: 'Kommandozeile anmelden',
  asks: (name: string) =>
    `waybill, in einem Terminal auf diesem Computer, möchte als ${name} angemeldet werden.`,
  only: 'Stimmen Sie nur zu, wenn Sie hier gerade „waybill login“ aufgerufen haben. Es kann dann alles, was Sie können, bis Sie seine Sitzung unter Konto beenden.',
  compare: 'Das Terminal zeigt dieselben Zeichen wie diese Seite:',
  agree: 'Anmelden',
  decline: 'Ablehnen',
  broken: 'Die Adresse ist unvollständig. Rufen Sie „waybill login“ noch einmal auf.',
};

export default words;
