/** The ids of the ready-made sections, in the order in which they are offered. */
export const starterIds = ['hero', 'columns', 'pictureText', 'products', 'quote', 'contact'] as const;
export type StarterId = (typeof starterIds)[number];
