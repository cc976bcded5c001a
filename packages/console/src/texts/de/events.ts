import type english from '../en/events.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  title: 'Ereignisse',
  subtitle:
    'Alles, was in diesem Shop geschehen ist, so wie es an Webhooks geht. Meist 30 Tage lang aufbewahrt.',
  empty: 'Keine Ereignisse in diesem Zeitraum',
  emptyHint:
    'Wählen Sie einen längeren Zeitraum. Ereignisse entstehen, wenn sich etwas ändert, etwa ein Produkt.',
  period: 'Zeitraum',
  periods: {
    hour: 'Letzte Stunde',
    day: 'Letzte 24 Stunden',
    week: 'Letzte 7 Tage',
    all: 'Alle Ereignisse',
  },
  anyType: 'Jedes Ereignis',
  type: 'Ereignis',
  code: 'Typ',
  when: 'Zeit',
  id: 'ID',
  shown: '{count, plural, one {# Ereignis, neuestes zuerst} other {# Ereignisse, neueste zuerst}}',
  data: 'Ereignisdaten',
  reducedHint: 'Darf Ihre Rolle die Daten eines Ereignisses nicht lesen, sehen Sie nur die ID.',
  facts: 'Details',
  endpoints: 'Zustellungen',
  noWebhooks: 'Noch keine Webhooks.',
  notCalled: 'Dieses Ereignis ging an keinen Webhook.',
  calledAt: 'gesendet {when}',
};

export default words;
