import { type IdKind, idPattern, idPrefixes } from './ids.ts';

const idDigits = '01kakk9zg00000000000000000';

/** Returns an id of a kind for examples, the same everywhere. */
export const exampleId = (kind: IdKind): string => `${idPrefixes[kind]}_${idDigits}`;

const idsByPattern = new Map(
  (Object.keys(idPrefixes) as IdKind[]).map((kind) => [idPattern(kind), exampleId(kind)]),
);

const at = '2026-11-20T10:00:00.000Z';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** The example values of fields by name, wherever they are, if their schema has none. */
const examplesByField: Readonly<Record<string, unknown>> = {
  appId: exampleId('app'),
  articleId: exampleId('article'),
  categoryIds: exampleId('blogCategory'),
  coverMediaId: exampleId('mediaAsset'),
  createdBy: exampleId('user'),
  customerId: exampleId('customer'),
  endpointId: exampleId('webhookEndpoint'),
  entityId: exampleId('product'),
  entityIds: exampleId('product'),
  eventId: exampleId('event'),
  folderId: exampleId('mediaFolder'),
  from: exampleId('appVersion'),
  mediaIds: exampleId('mediaAsset'),
  orgId: exampleId('organisation'),
  ownerId: exampleId('product'),
  pageId: exampleId('page'),
  parentId: null,
  productId: exampleId('product'),
  savedBy: exampleId('user'),
  storeId: exampleId('store'),
  userId: exampleId('user'),
  variantId: exampleId('variant'),
  versionId: exampleId('appVersion'),
  ids: exampleId('mediaAsset'),
  requestId: idDigits,
  createdAt: at,
  updatedAt: at,
  expiresAt: at,
  installedAt: at,
  lastUsedAt: at,
  savedAt: at,
  publishedAt: at,
  email: 'ada@example.com',
  phone: '+44 20 7946 0958',
  supportEmail: 'help@example.com',
  taxCategory: 'standard',
  vendor: 'Adas Tea',
  productType: 'Black tea',
  barcode: '4006381333931',
  values: 'Loose',
  mediaId: exampleId('mediaAsset'),
  imageMediaId: exampleId('mediaAsset'),
  productIds: exampleId('product'),
  add: exampleId('product'),
  remove: exampleId('product'),
  secretHeaders: 'Authorization',
  certificate: '-----BEGIN CERTIFICATE-----\nMIIBszCC…\n-----END CERTIFICATE-----\n',
  line1: '1 High Street',
  line2: 'Flat 2',
  city: 'London',
  region: 'Greater London',
  postalCode: 'SW1A 1AA',
  country: 'GB',
  currency: 'EUR',
  timeZone: 'Europe/London',
  password: 'correct horse battery',
  current: 'correct horse battery',
  ip: '203.0.113.7',
  code: '492039',
  token: '0Zq7uVw3v5mJ9x1Kc8b2Yd4Rf6Tg',
  secret: 'JBSWY3DPEHPK3PXP',
  accessToken: 'eyJhbGciOi…',
  refreshToken: '4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Yd',
  clientSecret: 'q0v5mJ9x1Kc8b2Yd4Rf6Tg0Zq7uVw3v5mJ9x1Kc8b2Y',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  state: 'af0ifjsldkj',
  session: 'cookie',
  recoveryCodes: 'k7fq-2mzp-9xtd',
  prefix: 'wbk_4Rf6',
  role: 'editor',
  orgName: 'Tea Tools Ltd',
  appName: 'Reviews',
  userName: 'Ada Lovelace',
  name: 'Earl Grey',
  title: 'How we pick our tea',
  slug: 'earl-grey',
  tags: 'tea',
  sku: 'EG-1',
  description: 'Black tea with bergamot.',
  excerpt: 'By hand, in spring.',
  content: '<p>By hand, in spring.</p>',
  note: 'Prefers loose tea.',
  reason: 'The block does not fit a phone.',
  message: 'is required',
  pointer: '/name',
  alt: 'A cup of tea',
  field: 'name',
  value: 'Earl Grey',
  key: 'rating',
  locale: 'en',
  locales: 'en',
  version: '1',
  url: 'https://example.com/hooks',
  website: 'https://example.com',
  webhookUrl: 'https://example.com/hooks',
  iconUrl: 'https://shop.example/app-icons/9f86d081.png',
  privacyUrl: 'https://example.com/privacy',
  installUrl: 'https://example.com/install',
  redirectUri: 'https://example.com/callback',
  redirectUris: 'https://example.com/callback',
  redirectTo: 'https://example.com/callback?code=3Kc8b2Yd',
  connectOrigins: 'https://api.example.com',
  scopes: 'products.read',
  scope: 'products.read appdata.write',
  contentType: 'image/webp',
  sha256,
  moduleSha256: sha256,
  before: sha256,
  after: sha256,
  codeChallenge: challenge,
  moduleUrl: `/islands/${sha256}.js`,
  island: 'stars',
  sizeBytes: 48_211,
  width: 1200,
  height: 800,
  rootId: 'top',
  nodeId: 'words',
  children: 'words',
  icon: 'star',
  label: 'Text',
  widget: 'text',
  slot: 'words',
  writeKey: 'text',
  type: 'section',
  nextCursor: null,
  lastError: '',
  error: '',
  rejectionReason: null,
  html: '<p>Picked by hand.</p>',
  css: '',
  differences: '/nodes/0/props',
  file: 'earl-grey.webp',
  q: 'tea',
  total: 1,
  limit: 50,
  jobs: 1,
  statusCode: 204,
  lastStatusCode: 204,
};

/** The example values of fields that differ in things of this name, or of this schema. */
const examplesByResource: Readonly<Record<string, unknown>> = {
  // Parameters of a path have the preceding segment in place of a thing.
  'docs.part': 'five-minutes',
  'events.id': exampleId('event'),
  'forms.formId': 'contact',
  'mail-templates.kind': 'orderShipped',
  's.storeSlug': 'demo',
  '{storeSlug}.hash': '9f86d081884c7d65',
  'sessions.id': '3f8b1c0e',
  'templates.kind': 'product',
  'webhook.id': exampleId('webhookEndpoint'),
  'delivery.id': exampleId('webhookDelivery'),
  'appDelivery.id': exampleId('webhookDelivery'),
  'replay.id': exampleId('webhookReplay'),
  'event.id': exampleId('event'),
  'coverMedia.id': exampleId('mediaAsset'),
  'session.id': '9b1f4c1e-6a0a-4f0e-8a53-0f3d5b7c2a11',
  'actor.id': exampleId('user'),
  'actor.name': 'Ada Lovelace',
  'target.id': exampleId('product'),
  'usage.id': exampleId('page'),
  'usage.name': 'Home',
  'hits.id': exampleId('product'),
  'pages.id': exampleId('page'),
  'pages.name': 'Home',
  'places.id': exampleId('page'),
  'places.name': 'Home',
  'nodes.id': 'top',
  'nodes.children': 'words',
  'page.name': 'Home',
  'app.name': 'Reviews',
  'listedApp.name': 'Reviews',
  'appProfile.name': 'Reviews',
  'app.description': 'Stars below every product.',
  'listedApp.description': 'Stars below every product.',
  'appProfile.description': 'Stars below every product.',
  'webhook.description': 'Our warehouse',
  'store.name': 'Ada’s Tea',
  'store.slug': 'adas-tea',
  'stores.name': 'Ada’s Tea',
  'stores.slug': 'adas-tea',
  'developmentStore.name': 'Reviews, tried',
  'developmentStore.slug': 'reviews-tried',
  'user.name': 'Ada Lovelace',
  'member.name': 'Ada Lovelace',
  'orgMember.name': 'Ada Lovelace',
  'customer.name': 'Ada Lovelace',
  'addresses.name': 'Ada Lovelace',
  'shippingAddress.name': 'Ada Lovelace',
  'addressInput.name': 'Ada Lovelace',
  'checkout.name': 'Ada Lovelace',
  'org.name': 'Tea Tools Ltd',
  'orgs.name': 'Tea Tools Ltd',
  'reviewedOrg.name': 'Tea Tools Ltd',
  'apiKey.name': 'Warehouse',
  'media.name': 'earl-grey.webp',
  'mediaFolder.name': 'Teas',
  'section.name': 'Footer',
  'blogCategory.name': 'Growers',
  'category.id': exampleId('category'),
  'category.name': 'Black tea',
  'category.slug': 'black-tea',
  'blogCategory.slug': 'growers',
  'article.slug': 'how-we-pick-our-tea',
  'block.name': 'Stars',
  'block.key': 'stars',
  'blocks.key': 'stars',
  'blocks.name': 'Stars',
  'catalogueBlock.name': 'Stars',
  'catalogueBlock.key': 'stars',
  'blockUse.key': 'stars',
  'blockUse.name': 'Stars',
  'blockRenderings.key': 'stars',
  'blockRenderings.name': 'Stars',
  'blockChanges.key': 'stars',
  'island.name': 'stars',
  'slots.name': 'words',
  'traits.key': 'text',
  'before.html': '<p>Stars</p>',
  'after.html': '<p>★★★★☆</p>',
  'scopes.added': 'orders.read',
  'scopes.removed': 'products.read',
  'connectOrigins.added': 'https://api.example.com',
  'connectOrigins.removed': 'https://old.example.com',
  'blocks.added': 'stars',
  'blocks.removed': 'badge',
  'blocks.changed': 'summary',
  'islands.added': 'stars',
  'islands.removed': 'badge',
  'islands.changed': 'summary',
  'draft.revision': 3,
  'attempt.error': '',
  'translation.value': 'Graf Grey',
  'translation.locale': 'de',
  'entries.value': 'Graf Grey',
  'entries.locale': 'de',
  'appData.value': '4.8',
  'progress.locale': 'de',
  'seo.title': 'Earl Grey, picked by hand',
  'seo.description': 'Black tea with bergamot, sent within a week.',
};

interface SampleSchema {
  $id?: string;
  $ref?: string;
  type?: string | readonly string[];
  examples?: readonly unknown[];
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly SampleSchema[];
  properties?: Readonly<Record<string, SampleSchema>>;
  items?: SampleSchema;
  minimum?: number;
  pattern?: string;
  format?: string;
  documentedAs?: SampleSchema;
}

/**
 * Returns a value that fits a JSON Schema, always the same one: first from its own `examples`, then by the field's name
 * in that thing or anywhere, then the simplest value of the type.
 */
export function createExample(schema: SampleSchema, name = '', resource = ''): unknown {
  const { type, examples, anyOf, properties = {}, items, minimum = 0, pattern = '', documentedAs } = schema;
  if (documentedAs) return createExample(documentedAs, name, resource);
  if (examples) return examples[0];
  if (schema.enum) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const example = examplesByResource[`${resource}.${name}`] ?? examplesByField[name];
  if (anyOf) return example === null && anyOf.some(isNull) ? null : createExample(anyOf[0]!, name, resource);
  if (type === 'object') {
    const innerResource = findResource(schema.$id) || name;
    return Object.fromEntries(
      Object.entries(properties).map(([key, field]) => [key, createExample(field, key, innerResource)]),
    );
  }
  if (type === 'array') return items && !items.$ref ? [createExample(items, name, resource)] : [];
  if (type === 'integer' || type === 'number')
    return typeof example === 'number' && example >= minimum ? example : (schema.default ?? minimum);
  if (type === 'boolean') return schema.default ?? false;
  if (type !== 'string') return example ?? null;
  return (
    idsByPattern.get(pattern) ??
    (typeof example === 'string' ? example : (schema.default ?? createFormatExample(schema)))
  );
}

/** Returns the thing that a schema's name means: `PageInput` and `Page` are both a page. */
function findResource(id = ''): string {
  const name = id.replace(/(?:Input|Patch|Change|Replacement|Details|s)$/, '').replace(/^Webhook(?=.)/, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

const isNull = ({ type }: SampleSchema) => type === 'null';

const createFormatExample = ({ format }: SampleSchema) =>
  format === 'date-time'
    ? at
    : format === 'email'
      ? examplesByField.email
      : format === 'uri'
        ? examplesByField.website
        : '';
