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

const readPermissions = domains.map((domain): Permission => `${domain}.read`);
const writePermissions = domains.map((domain): Permission => `${domain}.write`);

/** All permissions; a stored scope outside this list makes its key unusable. */
export const permissions: readonly Permission[] = [...readPermissions, ...writePermissions];

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

/** The roles of a store's members, from the lowest to the highest, and the permissions of each, `decisions.md 8.2`. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: readPermissions,
  editor: [...readPermissions, ...editable.map((domain): Permission => `${domain}.write`)],
  admin: permissions,
  owner: permissions,
};

/** Whether a role manages keys, members and apps: admins and owners do. */
export function managesStore(role: Role): boolean {
  return role === 'admin' || role === 'owner';
}
