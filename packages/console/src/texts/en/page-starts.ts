import type { Compiled } from '../messages.ts';

const words = {
  beginWith: 'Start from',
  blank: 'Blank page',
  names: {
    home: 'Homepage',
    landing: 'Landing page',
    shop: 'Shop',
    collection: 'Collection',
    about: 'About us',
    contact: 'Contact',
    questions: 'Questions and answers',
    journal: 'Journal',
    launch: 'Coming soon',
    legal: 'Legal text',
  },
  home: {
    title: 'Made with care, made to last',
    lead: 'Say in one sentence what you sell, and why people come back for it.',
    button: 'Shop now',
    favourites: 'Favorites',
    points: {
      star: ['Chosen with care', 'We sell what we use ourselves.'],
      truck: ['At your door in days', 'Orders leave our workshop within a day.'],
      heart: ['Easy returns', 'Changed your mind? Send it back within 30 days.'],
    },
    journal: 'From the journal',
  },
  landing: {
    title: 'One product, done right',
    lead: 'Introduce a single product or offer. Keep it short, and show it at its best.',
    button: 'See it',
    points: 'Why you will like it',
    list: [
      ['Simple', 'Name the first reason to buy it.'],
      ['Durable', 'Name the second, with a number if you have one.'],
      ['Fair', 'Name the third: what is different here.'],
    ],
    quote: '“I use it every day and would buy it again tomorrow.”',
    quoted: 'Alex, customer since 2021',
    last: 'Ready when you are',
  },
  shop: {
    title: 'Shop',
    lead: 'Everything we have, at a glance.',
    empty: 'The first products are on their way.',
  },
  collection: {
    title: 'The gift guide',
    lead: 'A small choice for somebody special, from little tokens to grand gestures.',
    small: 'Little tokens',
    large: 'Grand gestures',
  },
  about: {
    title: 'About us',
    lead: 'How it began, who we are, and what we care about.',
    story: 'Our story',
    storyText:
      'Tell how it began: the first idea, the first customer, the first mistake. People buy from people, so say who you are.',
    values: 'What we stand for',
    list: [
      ['Quality', 'Say what you check before anything leaves the house.'],
      ['People', 'Say who makes what you sell.'],
      ['Planet', 'Say what you do to leave less behind.'],
    ],
  },
  contact: {
    title: 'Contact',
    lead: 'A question, an idea, or a problem with an order? We answer within a day.',
    form: 'Send us a message',
    name: 'Name',
    email: 'E-mail',
    message: 'Message',
    send: 'Send',
    visit: 'Visit us',
    address: 'Example Street 1\n12345 Sampletown',
    hours: 'Opening hours',
    times: 'Monday to Friday, 10 am to 6 pm\nSaturday, 10 am to 2 pm',
  },
  questions: {
    title: 'Questions and answers',
    lead: 'What customers ask most.',
    list: [
      ['How long does delivery take?', 'Two to four working days within the country, up to a week abroad.'],
      ['How can I pay?', 'Name the ways to pay that you offer.'],
      ['Can I return something?', 'Yes, within 30 days. Write to us, and we send you a label.'],
      ['Do you ship abroad?', 'Name the countries that you ship to, and what it costs.'],
    ],
  },
  journal: {
    title: 'Journal',
    lead: 'Stories, instructions, and news from our workshop.',
    empty: 'The first article is on its way.',
  },
  launch: {
    title: 'Something new is coming',
    lead: 'Leave your e-mail address, and we will tell you when it is here.',
    email: 'E-mail',
    send: 'Tell me',
  },
  legal: {
    title: 'Legal notice',
    lead: 'Replace this text with your own. If in doubt, ask somebody who knows the law of your country.',
    list: [
      ['Responsible', 'Name, address, e-mail address and telephone number of your business.'],
      ['Register and tax', 'Commercial register and its number, VAT identification number.'],
      ['Disputes', 'Say whether you take part in dispute resolution.'],
    ],
  },
  pictureAlt: 'A picture that shows what you do',
} as const;

export default words;
export type PageStartWords = Compiled<typeof words>;
