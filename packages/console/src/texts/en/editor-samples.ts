import type { Compiled } from '../messages.ts';

/** Texts that elements have when they are inserted. */
const words = {
  heading: 'Heading',
  text: 'Write something here.',
  item: 'Item',
  button: 'Button',
  link: 'Link',
  name: 'Name',
  email: 'E-mail',
  message: 'Message',
  send: 'Send',
  points: 'Why buy from us',
  point: 'A good reason',
  product: 'Product name',
  price: 'Price',
  welcome: 'Welcome',
  lead: 'Say in one sentence what you sell and to whom.',
  shopNow: 'Shop now',
  readMore: 'Read more',
  pictureAlt: 'What the picture shows',
  favourites: 'Favourites',
  quote: 'What a customer says about you.',
  quoted: 'A customer',
  writeToUs: 'Write to us',
} as const;

export default words;
export type SampleTexts = Compiled<typeof words>;
