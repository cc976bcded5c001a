import Type from 'typebox';
import type { RouteDefinition } from './route.ts';

/** One service's part of the global search, `decisions.md 10.3`. */
const searchHits = Type.Object({
  hits: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), subtitle: Type.String() })),
});

/** `POST <path> { storeId, q }` → `{ hits }`, for the gateway, which checks the rights of the caller. */
export const searchRoute = <const Path extends `/internal/${string}`>(path: Path) =>
  ({
    method: 'POST',
    path,
    access: 'service',
    summary: "Search this service's resources, for the gateway",
    body: Type.Object({ storeId: Type.String(), q: Type.String() }),
    answer: [200, searchHits],
  }) as const satisfies RouteDefinition;
