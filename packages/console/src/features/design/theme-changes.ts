import { useQuery } from '@tanstack/react-query';
import { useStore } from '../../api/me.ts';
import { type Theme, themeQuery } from '../../shell/theme.ts';
import type { DesignWords } from '../../texts/en/design.ts';
import { useDesignTexts } from './texts.ts';

/**
 * Returns what publishing the saved theme would change for visitors; undefined until that is known. A draft may be as
 * what is live, because changes were taken back.
 */
export function useThemeChanges(saved: { theme: Theme; hasDraft: boolean } | undefined) {
  const words = useDesignTexts();
  const store = useStore();
  const hasDraft = saved?.hasDraft === true;
  const { data: live } = useQuery({ ...themeQuery(store.id, 'live'), enabled: hasDraft });
  if (!saved) return undefined;
  if (!hasDraft) return [];
  return live && listThemeChanges(live.theme, saved.theme, words);
}

/** Lists the differences between two themes as texts. */
export function listThemeChanges(before: Theme, after: Theme, words: DesignWords): string[] {
  const getFontName = (font: Theme['fonts']['heading']) =>
    'mediaId' in font ? words.ownFontNamed : words.stacks[font.stack];
  const percent = ({ scale }: Theme) => `${Math.round(scale * 100)} %`;
  const pixels = (number: number) => `${number} px`;
  const all: (readonly [name: string, before: string, after: string, isSame?: boolean])[] = [
    ...(Object.keys(words.color) as (keyof Theme['colors'])[]).map(
      (name) => [words.color[name], before.colors[name], after.colors[name]] as const,
    ),
    ...(['heading', 'body'] as const).map((name) => {
      const isSame = JSON.stringify(before.fonts[name]) === JSON.stringify(after.fonts[name]);
      return [
        words.font[name],
        getFontName(before.fonts[name]),
        getFontName(after.fonts[name]),
        isSame,
      ] as const;
    }),
    [words.scale, percent(before), percent(after)],
    [words.radius, pixels(before.radius), pixels(after.radius)],
    [words.spacing, pixels(before.spacing), pixels(after.spacing)],
  ];
  return all
    .filter(([, was, is, isSame = was === is]) => !isSame)
    .map(([name, was, is]) => words.change({ name, before: was, after: is }));
}
