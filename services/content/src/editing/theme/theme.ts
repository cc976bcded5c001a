import { standardTheme } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { Context, Write } from '../../config.ts';
import { errors } from '../../errors.ts';
import type { Warning } from '../../publication/documents/warnings.ts';
import { invalidateDependents } from '../../publication/live-pages/stale.ts';
import { Lookups } from '../../publication/rendering/lookups.ts';
import { lockPageList } from '../../shared/stores/queries.ts';
import type { Tables } from '../../tables.ts';
import { consumeThemeDraft, findTheme, lockTheme, type ThemeRow, upsertThemeDraft } from './queries.ts';
import type { Theme, ThemeInput } from './routes.ts';
import { findLowContrasts, themeSheet } from './sheet.ts';

/** A theme, and whether a draft is waiting. */
export interface ThemeState {
  theme: Theme;
  hasDraft: boolean;
  publishedAt: string | null;
}

/** Completes a theme with standard values, and removes unknown ones. */
function completeTheme({ colors = {}, fonts = {}, ...numbers }: ThemeInput): Theme {
  return {
    colors: pickKnown(standardTheme.colors, colors),
    fonts: pickKnown(standardTheme.fonts, fonts),
    ...pickKnown(
      { scale: standardTheme.scale, radius: standardTheme.radius, spacing: standardTheme.spacing },
      numbers,
    ),
  };
}

function pickKnown<Known extends object>(defaults: Known, input: Partial<Known>): Known {
  const entries = Object.entries(defaults).map(([key, value]) => [key, input[key as keyof Known] ?? value]);
  return Object.fromEntries(entries) as Known;
}

const toState = (row: ThemeRow | undefined, theme: ThemeInput | null | undefined): ThemeState => ({
  theme: completeTheme(theme ?? {}),
  hasDraft: row?.draft != null,
  publishedAt: row?.published_at?.toISOString() ?? null,
});

/** Returns the draft or the live theme of a store: `decisions.md 17.3`. */
export async function readTheme(
  db: Kysely<Tables>,
  storeId: string,
  state: 'draft' | 'live',
): Promise<ThemeState> {
  const row = await findTheme(db, storeId);
  return toState(row, state === 'live' ? row?.live : (row?.draft ?? row?.live));
}

/**
 * Checks a sent theme and completes it. Asks media about its fonts, which no transaction may wait for.
 * @throws invalid_body for a font that the library does not have, resource_unavailable when media cannot be asked
 */
export async function acceptTheme(context: Context, storeId: string, sent: ThemeInput): Promise<Theme> {
  const theme = completeTheme(sent);
  await checkFonts(context, storeId, theme);
  return theme;
}

/** Saves an accepted theme, and returns warnings about colours that are hard to read on others. */
export async function saveTheme(
  { trx }: Write,
  storeId: string,
  theme: Theme,
): Promise<ThemeState & { warnings: Warning[] }> {
  await upsertThemeDraft(trx, storeId, theme);
  return { ...toState(await findTheme(trx, storeId), theme), warnings: findLowContrasts(theme) };
}

async function checkFonts(context: Context, storeId: string, { fonts }: Theme): Promise<void> {
  const fontAssets = Object.entries(fonts).flatMap(([name, font]) =>
    'mediaId' in font ? [[name, font.mediaId] as const] : [],
  );
  const ids = [...new Set(fontAssets.map(([, id]) => id))];
  const knownFonts = ids.length > 0 ? await new Lookups(context, storeId).fonts(ids) : new Set();
  const details = fontAssets
    .filter(([, id]) => !knownFonts.has(id))
    .map(([name]) => ({
      pointer: `/theme/fonts/${name}/mediaId`,
      message: 'is not a font of this store',
    }));
  if (details.length > 0) throw errors.invalid_body({ details });
}

/**
 * Shows the saved theme on the whole site. Pages get the new style sheet's address at their next visit; none is
 * rendered again (`decisions.md 17.3`).
 * @throws nothing_to_publish
 */
export async function publishTheme({ trx, audit }: Write, storeId: string): Promise<ThemeState> {
  await lockPageList(trx, storeId);
  // Locked, so that the style sheet is made from the draft that goes live.
  const row = await lockTheme(trx, storeId);
  if (!row?.draft) throw errors.nothing_to_publish();
  await consumeThemeDraft(trx, storeId, themeSheet(storeId, completeTheme(row.draft)), new Date());
  await invalidateDependents(trx, storeId, [{ kind: 'theme', ref: '' }]);
  await audit(storeId, 'theme.published', { id: storeId });
  const published = await findTheme(trx, storeId);
  return toState(published, published?.live);
}
