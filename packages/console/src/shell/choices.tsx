import { useCommon } from '../texts/common.ts';
import { type Language, language, languages, useLanguage } from '../texts/texts.ts';
import { Select } from '../ui/select.tsx';
import { chooseLook, type Look, useLook } from './look.ts';

/** Chooses the console's language in this browser. */
export function ChooseLanguage() {
  const words = useCommon();
  const choices = Object.entries(languages).map(([id, text]) => ({ id: id as Language, text }));
  return <Select label={words.language} choices={choices} value={useLanguage()} onChange={language.choose} />;
}

export function ChooseLook() {
  const words = useCommon();
  const choices: { id: Look; text: string }[] = [
    { id: 'system', text: words.lookSystem },
    { id: 'light', text: words.lookLight },
    { id: 'dark', text: words.lookDark },
  ];
  return <Select label={words.look} choices={choices} value={useLook()} onChange={chooseLook} />;
}
