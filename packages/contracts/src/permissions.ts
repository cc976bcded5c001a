/** The permission vocabulary, `store-api.md 5.2`. */
export const domains = [
  'products',
  'orders',
  'customers',
  'discounts',
  'blog',
  'integrations',
  'pages',
  'theme',
  'media',
  'codefiles',
  'webhooks',
  'forms',
  'translations',
  'appdata',
] as const;

export type Domain = (typeof domains)[number];
export type Permission = `${Domain}.read` | `${Domain}.write`;

const reads = domains.map((domain): Permission => `${domain}.read`);
const writes = domains.map((domain): Permission => `${domain}.write`);

/** Every permission there is; a stored scope outside this list makes its key unusable. */
export const permissions: readonly Permission[] = [...reads, ...writes];

const editable: readonly Domain[] = [
  'products',
  'orders',
  'customers',
  'discounts',
  'blog',
  'pages',
  'media',
  'translations',
];

/** What each role of a store's member may do, `decisions.md 8.2`, from the lowest role to the highest. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: reads,
  editor: [...reads, ...editable.map((domain): Permission => `${domain}.write`)],
  admin: permissions,
  owner: permissions,
};

/** Admins and owners manage keys, members and apps. */
export function managesStore(role: Role): boolean {
  return role === 'admin' || role === 'owner';
}
