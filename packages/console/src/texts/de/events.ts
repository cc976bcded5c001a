import type { EventWords } from '../en/events.ts';
import { plural } from '../texts.ts';

const words: EventWords = {
  title: 'Ereignisse',
  subtitle:
    'Was in diesem Shop geschehen ist, so wie Webhooks es melden. 30 Tage lang aufbewahrt, wenn das System nichts anderes sagt.',
  empty: 'In dieser Zeit ist nichts geschehen',
  emptyHint:
    'Wählen Sie eine längere Zeit, oder ändern Sie etwas: Ein gespeichertes Produkt ist ein Ereignis.',
  period: 'Ab',
  periods: {
    hour: 'Die letzte Stunde',
    day: 'Die letzten 24 Stunden',
    week: 'Die letzten 7 Tage',
    all: 'Alles Aufbewahrte',
  },
  anyType: 'Jedes Ereignis',
  type: 'Ereignis',
  code: 'Typ',
  when: 'Wann',
  id: 'ID',
  shown: (count) =>
    plural('de', count, { one: 'Ereignis, neuestes zuerst', other: 'Ereignisse, neueste zuerst' }),
  data: 'Das Ereignis',
  reducedHint: 'Wo Ihre Rolle das Betroffene nicht lesen darf, steht nur die ID.',
  facts: 'Angaben',
  endpoints: 'Wer aufgerufen wurde',
  noWebhooks: 'Es gibt keine Webhooks.',
  notCalled: 'Dafür wurde kein Webhook aufgerufen.',
  calledAt: (when) => `aufgerufen ${when}`,
};

export default words;
