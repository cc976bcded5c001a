import Type, { type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { Timestamp } from './resources.ts';

export const fulfillmentStates = ['shipped', 'delivered', 'cancelled'] as const;
export type FulfillmentState = (typeof fulfillmentStates)[number];

/** A number of units of a variant in an order. */
export const OrderUnits = Type.Object({
  variantId: Type.String({ pattern: idPattern('variant') }),
  quantity: Type.Integer({ minimum: 1, examples: [2] }),
});
export type OrderUnits = Static<typeof OrderUnits>;

const textOrNull = (description: string, example: string) =>
  Type.Union([Type.String(), Type.Null()], { description, examples: [example] });

/** A part of an order that was sent together: `decisions.md 23.1`. */
export const Fulfillment = Type.Object(
  {
    id: Type.String({ pattern: idPattern('fulfillment') }),
    orderId: Type.String({ pattern: idPattern('order') }),
    lines: Type.Array(OrderUnits),
    carrier: textOrNull('The carrier.', 'dhl'),
    trackingNumber: textOrNull('The carrier’s tracking number.', '00340434161094042557'),
    trackingUrl: textOrNull(
      'The page where the customer tracks it; derived from the number for known carriers.',
      'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340434161094042557',
    ),
    status: Type.Enum([...fulfillmentStates]),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Fulfillment' },
);
export type Fulfillment = Static<typeof Fulfillment>;

/** Known carriers by the names that customers know, with their tracking pages: the number replaces the braces. */
const knownCarriers = {
  dhl: ['DHL', 'https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode={}'],
  dpd: ['DPD', 'https://tracking.dpd.de/status/en_US/parcel/{}'],
  gls: ['GLS', 'https://gls-group.eu/track/{}'],
  hermes: ['Hermes', 'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation/#{}'],
  ups: ['UPS', 'https://www.ups.com/track?tracknum={}'],
  fedex: ['FedEx', 'https://www.fedex.com/fedextrack/?trknbr={}'],
  usps: ['USPS', 'https://tools.usps.com/go/TrackConfirmAction?tLabels={}'],
  'royal-mail': ['Royal Mail', 'https://www.royalmail.com/track-your-item#/tracking-results/{}'],
  'la-poste': ['La Poste', 'https://www.laposte.fr/outils/suivre-vos-envois?code={}'],
  postnl: ['PostNL', 'https://jouw.postnl.nl/track-and-trace/{}'],
  'swiss-post': ['Swiss Post', 'https://service.post.ch/ekp-web/ui/entry/search/{}'],
  posti: ['Posti', 'https://www.posti.fi/en/tracking#/lahetys/{}'],
} as const;

/** The carriers whose tracking pages are known. */
export const carriers = Object.keys(knownCarriers) as (keyof typeof knownCarriers)[];

const findCarrier = (carrier: string) => {
  const key = carrier.trim().toLowerCase().replaceAll(' ', '-');
  return carriers.find((each) => each === key);
};

/** Returns the name of a carrier for customers: that of a known one, or else the text as it was written. */
export function carrierName(carrier: string): string {
  const known = findCarrier(carrier);
  return known ? knownCarriers[known][0] : carrier;
}

/** Returns the tracking page of a parcel; null if the carrier is unknown or there is no number. */
export function createTrackingUrl(carrier: string | null, trackingNumber: string | null): string | null {
  if (carrier === null || trackingNumber === null) return null;
  const known = findCarrier(carrier);
  const digits = trackingNumber.replaceAll(/\s/g, '');
  return known && digits ? knownCarriers[known][1].replace('{}', encodeURIComponent(digits)) : null;
}
