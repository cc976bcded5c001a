export * from './credentials.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './ids.ts';
export * from './permissions.ts';
export * from './principal.ts';
export * from './resources.ts';
export * from './slugs.ts';
