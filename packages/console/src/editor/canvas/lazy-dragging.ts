let loaded: typeof import('./dragging.ts') | undefined;

/** Loads the dragging code once the page is shown, so that it is ready before a drag starts. */
export async function loadDragging(): Promise<typeof import('./dragging.ts')> {
  loaded ??= await import('./dragging.ts');
  return loaded;
}

/** Returns the dragging code; undefined until it has loaded. */
export const loadedDragging = (): typeof import('./dragging.ts') | undefined => loaded;
