/** The paths of all screens, in one place so that a path is changed once. */
export const base = '/console';

/** Takes the place of the id in the path of a resource that is being created. */
export const newId = 'new';

const query = (parameters: Readonly<Record<string, string | undefined>>) => {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const paths = {
  start: `${base}/`,
  signIn: (next?: string) => `${base}/sign-in${query({ next })}`,
  register: (next?: string) => `${base}/register${query({ next })}`,
  forgot: `${base}/forgot`,
  invitation: (token: string) => `${base}/invitation${query({ token })}`,
  account: `${base}/account`,
  stores: `${base}/stores`,
  newStore: `${base}/stores/new`,
  orgs: `${base}/orgs`,
  review: `${base}/review`,
  store: (storeId: string) => `${base}/stores/${storeId}`,
  /** A feature of a store, `inStore(storeId, 'products')`, or an item in it, `inStore(storeId, 'products', id)`. */
  inStore: (storeId: string, ...path: string[]) => [base, 'stores', storeId, ...path].join('/'),
  inOrg: (orgId: string, ...path: string[]) => [base, 'orgs', orgId, ...path].join('/'),
  reviewVersion: (versionId: string) => `${base}/review/${versionId}`,
};
