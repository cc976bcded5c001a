import type english from '../en/page-starts.ts';
import type { Translation } from '../messages.ts';

const words: Translation<typeof english> = {
  beginWith: 'Beginnen mit',
  blank: 'Leere Seite',
  names: {
    home: 'Startseite',
    landing: 'Aktionsseite',
    shop: 'Shop',
    collection: 'Kollektion',
    about: 'Über uns',
    contact: 'Kontakt',
    questions: 'Fragen und Antworten',
    journal: 'Journal',
    launch: 'Demnächst',
    legal: 'Rechtstext',
  },
  home: {
    title: 'Mit Sorgfalt gemacht, für lange gemacht',
    lead: 'Sagen Sie in einem Satz, was Sie verkaufen und warum man gern wiederkommt.',
    button: 'Jetzt einkaufen',
    favourites: 'Lieblinge',
    points: {
      star: ['Sorgfältig ausgewählt', 'Wir verkaufen, was wir selbst benutzen.'],
      truck: ['In wenigen Tagen da', 'Bestellungen verlassen unsere Werkstatt innerhalb eines Tages.'],
      heart: ['Einfache Rückgabe', 'Anders überlegt? Schicken Sie es innerhalb von 30 Tagen zurück.'],
    },
    journal: 'Aus dem Journal',
  },
  landing: {
    title: 'Ein Produkt, richtig gemacht',
    lead: 'Stellen Sie ein einzelnes Produkt oder Angebot vor. Kurz, und von seiner besten Seite.',
    button: 'Ansehen',
    points: 'Warum es gefällt',
    list: [
      ['Einfach', 'Nennen Sie den ersten Grund, es zu kaufen.'],
      ['Haltbar', 'Nennen Sie den zweiten, gern mit einer Zahl.'],
      ['Fair', 'Nennen Sie den dritten: Was ist hier anders?'],
    ],
    quote: '„Ich benutze es täglich und würde es morgen wieder kaufen.“',
    quoted: 'Alex, Kundin seit 2021',
    last: 'Bereit, wenn Sie es sind',
  },
  shop: {
    title: 'Shop',
    lead: 'Alles, was wir haben, auf einen Blick.',
    empty: 'Die ersten Produkte sind unterwegs.',
  },
  collection: {
    title: 'Geschenkideen',
    lead: 'Eine kleine Auswahl für besondere Menschen, von der Aufmerksamkeit bis zur großen Geste.',
    small: 'Kleine Aufmerksamkeiten',
    large: 'Große Gesten',
  },
  about: {
    title: 'Über uns',
    lead: 'Wie es anfing, wer wir sind und was uns wichtig ist.',
    story: 'Unsere Geschichte',
    storyText:
      'Erzählen Sie, wie es anfing: die erste Idee, die erste Kundin, der erste Fehler. Menschen kaufen bei Menschen, sagen Sie also, wer Sie sind.',
    values: 'Wofür wir stehen',
    list: [
      ['Qualität', 'Sagen Sie, was Sie prüfen, bevor etwas das Haus verlässt.'],
      ['Menschen', 'Sagen Sie, wer herstellt, was Sie verkaufen.'],
      ['Umwelt', 'Sagen Sie, was Sie tun, um weniger zu hinterlassen.'],
    ],
  },
  contact: {
    title: 'Kontakt',
    lead: 'Eine Frage, eine Idee oder ein Problem mit einer Bestellung? Wir antworten innerhalb eines Tages.',
    form: 'Schreiben Sie uns',
    name: 'Name',
    email: 'E-Mail',
    message: 'Nachricht',
    send: 'Senden',
    visit: 'Besuchen Sie uns',
    address: 'Beispielstraße 1\n12345 Musterstadt',
    hours: 'Öffnungszeiten',
    times: 'Montag bis Freitag, 10 bis 18 Uhr\nSamstag, 10 bis 14 Uhr',
  },
  questions: {
    title: 'Fragen und Antworten',
    lead: 'Was am häufigsten gefragt wird.',
    list: [
      ['Wie lange dauert der Versand?', 'Zwei bis vier Werktage im Inland, ins Ausland bis zu einer Woche.'],
      ['Wie kann ich bezahlen?', 'Nennen Sie die Zahlungsarten, die Sie anbieten.'],
      [
        'Kann ich etwas zurückgeben?',
        'Ja, innerhalb von 30 Tagen. Schreiben Sie uns, wir schicken ein Etikett.',
      ],
      ['Versenden Sie ins Ausland?', 'Nennen Sie die Länder, in die Sie versenden, und was es kostet.'],
    ],
  },
  journal: {
    title: 'Journal',
    lead: 'Geschichten, Anleitungen und Neues aus unserer Werkstatt.',
    empty: 'Der erste Artikel ist unterwegs.',
  },
  launch: {
    title: 'Bald gibt es etwas Neues',
    lead: 'Hinterlassen Sie Ihre E-Mail-Adresse, und wir sagen Ihnen, wenn es da ist.',
    email: 'E-Mail',
    send: 'Bescheid sagen',
  },
  legal: {
    title: 'Impressum',
    lead: 'Ersetzen Sie diesen Text durch Ihren eigenen. Im Zweifel fragen Sie jemanden, der das Recht Ihres Landes kennt.',
    list: [
      ['Verantwortlich', 'Name, Anschrift, E-Mail-Adresse und Telefonnummer Ihres Unternehmens.'],
      ['Register und Steuern', 'Handelsregister mit Nummer, Umsatzsteuer-Identifikationsnummer.'],
      ['Streitbeilegung', 'Sagen Sie, ob Sie an Verfahren zur Streitbeilegung teilnehmen.'],
    ],
  },
  pictureAlt: 'Ein Bild davon, was Sie tun',
};

export default words;
