import { queryOptions } from '@tanstack/react-query';
import { mediaPath } from '@waybill/contracts/paths';
import type { Model } from '@waybill/sdk';
import { readTagged } from '../api/tagged.ts';

export type Theme = Model<'Theme'>;

interface Read {
  theme: Theme;
  hasDraft: boolean;
  publishedAt: string | null;
}

export const themeKey = (storeId: string) => ['stores', storeId, 'theme'];

/** Reads the theme of a store, draft or live. */
export const themeQuery = (storeId: string, state: 'draft' | 'live') =>
  queryOptions({
    queryKey: [...themeKey(storeId), state],
    queryFn: ({ signal }) => readTagged<Read>(`/api/stores/${storeId}/theme?state=${state}`, signal),
    staleTime: 30_000,
  });

/** Returns the style sheet of a theme, as visitors get it. */
export async function createSheet(storeId: string, theme: Theme): Promise<string> {
  const { themeCss } = await import('./renderer.ts');
  return themeCss(theme, (mediaId) => mediaPath(storeId, mediaId));
}

/** Reads the style sheet that visitors get; empty until a theme is published. */
export const liveSheetQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...themeKey(storeId), 'sheet'],
    async queryFn({ client }) {
      const { theme, publishedAt } = await client.ensureQueryData(themeQuery(storeId, 'live'));
      return publishedAt === null ? '' : createSheet(storeId, theme);
    },
    staleTime: 30_000,
  });
