import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

export const fulfillmentStates = ['shipped', 'delivered', 'cancelled'] as const;
export type FulfillmentState = (typeof fulfillmentStates)[number];

/** So many units of a variant of an order. */
export const OrderUnits = Type.Object({
  variantId: Type.String({ pattern: idPattern('variant') }),
  quantity: Type.Integer({ minimum: 1, examples: [2] }),
});
export type OrderUnits = Static<typeof OrderUnits>;

const textOrNull = (description: string, example: string) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] });

/** What of an order was sent together: `decisions.md 23.1`. */
export const Fulfillment = Type.Object(
  {
    id: Type.String({ pattern: idPattern('fulfillment') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    lines: Type.Array(OrderUnits),
    carrier: textOrNull('Who carries it.', 'dhl'),
    trackingNumber: textOrNull('What the carrier knows it by.', '00340434161094042557'),
    trackingUrl: textOrNull(
      'Where the customer follows it; made from the number for carriers that are known.',
      'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340434161094042557',
    ),
    status: Type.Enum([...fulfillmentStates]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Fulfillment' },
);
export type Fulfillment = Static<typeof Fulfillment>;

/** Where a parcel of each known carrier is followed; its number comes in the place of the braces. */
const trackingPages = {
  dhl: 'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode={}',
  dpd: 'https://tracking.dpd.de/status/en_US/parcel/{}',
  gls: 'https://gls-group.eu/track/{}',
  hermes: 'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation/#{}',
  ups: 'https://www.ups.com/track?tracknum={}',
  fedex: 'https://www.fedex.com/fedextrack/?trknbr={}',
  usps: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={}',
  'royal-mail': 'https://www.royalmail.com/track-your-item#/tracking-results/{}',
  'la-poste': 'https://www.laposte.fr/outils/suivre-vos-envois?code={}',
  postnl: 'https://jouw.postnl.nl/track-and-trace/{}',
  'swiss-post': 'https://service.post.ch/ekp-web/ui/entry/search/{}',
  posti: 'https://www.posti.fi/en/tracking#/lahetys/{}',
} as const;

/** The carriers whose tracking pages are known. */
export const carriers = Object.keys(trackingPages) as (keyof typeof trackingPages)[];

/** Where a parcel is followed; null where the carrier is not known, or there is no number. */
export function trackingUrlOf(carrier: string | null, trackingNumber: string | null): string | null {
  if (carrier === null || trackingNumber === null) return null;
  const key = carrier.trim().toLowerCase().replaceAll(' ', '-');
  const known = carriers.find((each) => each === key);
  const digits = trackingNumber.replaceAll(/\s/g, '');
  return known && digits ? trackingPages[known].replace('{}', encodeURIComponent(digits)) : null;
}
