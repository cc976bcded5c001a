/** The roles in an organisation: `decisions.md 7.3`. */
export const orgRoles = ['owner', 'developer'] as const;
export type OrgRole = (typeof orgRoles)[number];
