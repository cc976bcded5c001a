import type { CartVariant, UnavailableVariant } from '@waybill/contracts';
import { type MediaFacts, variantTitle } from '@waybill/page';
import type { Context } from '../../config.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import { localiseOptions, productsSlug } from '../../publication/rendering/sources.ts';
import { listValues } from '../../translations/values/queries.ts';
import { translateWith } from '../../translations/values/translations.ts';
import type { Cart } from './cart.ts';
import type { CartLine } from './html.ts';
import type { Shop } from './shop.ts';

/** Returns the current lines of a cart, without those that are no longer for sale. */
export async function readCartLines(
  context: Context,
  { store, locale, texts }: Shop,
  cart: Cart,
): Promise<CartLine[]> {
  if (cart.size === 0) return [];
  const { peers } = context;
  const request = { storeId: store.id, variantIds: [...cart.keys()], quantities: [...cart.values()] };
  const path = '/internal/shop/cart';
  type Reply = { variants: CartVariant[]; gone?: UnavailableVariant[] };
  const found = await peers.call<Reply>('catalog', 'POST', path, request);
  const gone = new Map((found?.gone ?? []).map((variant) => [variant.variantId, variant]));
  const variants = new Map((found?.variants ?? []).map((variant) => [variant.variantId, variant]));
  const translateNames = await readTranslations(context, { store, locale }, [
    ...variants.values(),
    ...gone.values(),
  ]);
  const pictures = await readPictures(context, store.id, [...variants.values()]);
  return [...cart].flatMap(([id, quantity]) => {
    const variant = variants.get(id);
    if (!variant) return goneLine(gone.get(id), quantity, translateNames);
    const { variantId, slug, priceCents, isAvailable } = variant;
    const isShort = isAvailable && variant.isEnough === false;
    const productPath = `${productsSlug}/${slug}`;
    const picture = variant.mediaId && pictures.get(variant.mediaId);
    return [
      {
        variantId,
        productPath,
        ...translateNames(variant),
        quantity,
        priceCents,
        isAvailable,
        ...(picture && { picture }),
        ...(isShort && { problem: texts.fewerLeft }),
      },
    ];
  });
}

type NamedVariant = Pick<
  UnavailableVariant,
  'productId' | 'productName' | 'variantName' | 'titleOptions' | 'options'
>;
/** Returns the names of a variant and its product in the language of a visit. */
type TranslateNames = (variant: NamedVariant) => Pick<CartLine, 'name' | 'variantName'>;

/** Reads the translated names of products and of their options. */
async function readTranslations(
  { db }: Context,
  { store, locale }: Pick<Shop, 'store' | 'locale'>,
  variants: readonly NamedVariant[],
): Promise<TranslateNames> {
  const productIds = locale === undefined ? [] : variants.flatMap(({ productId }) => productId ?? []);
  const refs = [...new Set(productIds)].map((entityId) => ({ entityType: 'product' as const, entityId }));
  const translate = translateWith(
    locale === undefined || refs.length === 0 ? [] : await listValues(db, store.id, locale, refs),
  );
  return ({ productId, productName, variantName, titleOptions = [], options = {} }) => {
    if (productId == null) return { name: productName, variantName };
    const translateProduct = (id: string, field: string) => translate('product', id, field);
    const localOptions = localiseOptions(productId, titleOptions, { translateProduct });
    return {
      name: translateProduct(productId, 'name') ?? productName,
      variantName: variantTitle({ options: localOptions }, { name: '', options }) || variantName,
    };
  };
}

/** Builds the line of a variant that is no longer sold; it has no price and no page. */
const goneLine = (
  variant: UnavailableVariant | undefined,
  quantity: number,
  translateNames: TranslateNames,
): CartLine[] =>
  variant === undefined
    ? []
    : [
        {
          variantId: variant.variantId,
          productPath: '',
          ...translateNames(variant),
          quantity,
          priceCents: 0,
          isAvailable: false,
          gone: variant.reason,
        },
      ];

/** Returns pictures by media id. If media is unavailable, the cart is shown without pictures. */
async function readPictures(
  context: Context,
  storeId: string,
  variants: readonly CartVariant[],
): Promise<ReadonlyMap<string, MediaFacts>> {
  const ids = [...new Set(variants.flatMap(({ mediaId }) => mediaId ?? []))];
  if (ids.length === 0) return new Map();
  try {
    return await new Lookups(context, storeId).media(ids);
  } catch (err) {
    context.log.warn({ err, storeId }, 'a cart is shown without pictures');
    return new Map();
  }
}

/**
 * Returns the lines of a cart that can be ordered, and a message about the others. If something in it is no longer
 * sold, nothing can be ordered, and `blocked` contains all lines.
 */
export async function readOrderableLines(
  context: Context,
  shop: Shop,
  cart: Cart,
): Promise<{ lines: CartLine[]; message: string; blocked: CartLine[] | null }> {
  const all = await readCartLines(context, shop, cart);
  const lines = all.filter(({ isAvailable }) => isAvailable);
  const soldOut = all.filter(({ isAvailable, gone }) => !isAvailable && !gone);
  const isGone = all.length < cart.size;
  return {
    lines,
    blocked: all.some(({ gone }) => gone) ? all : null,
    message: soldOut.length > 0 ? soldOutText(shop, soldOut) : isGone ? shop.texts.gone : '',
  };
}

/** Tells why lines are no longer sold, and that they must be removed. */
export function describeUnavailable({ texts }: Shop, lines: readonly CartLine[]): string {
  const named = lines.flatMap(({ name, variantName, gone }) =>
    gone ? `${[name, variantName].filter(Boolean).join(' · ')}: ${texts.goneReasons[gone]}` : [],
  );
  return named.length > 0 ? [...named, texts.removeGone].join(' ') : '';
}

/** Tells that these lines were removed from the order. */
export const soldOutText = ({ texts }: Shop, lines: readonly CartLine[]): string => {
  const named = lines.map(({ name, variantName }) => [name, variantName].filter(Boolean).join(' · '));
  return `${named.join(', ')} ${texts.soldOutTaken}`;
};
