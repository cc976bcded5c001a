import { Select } from '../../ui/select.tsx';
import { usePanelWorkbench } from '../workbench/panel-workbench.ts';
import { useView } from '../workbench/workbench.ts';
import style from './toolbar.module.css';

/** Selects the language in which the page is shown; texts typed in another language are translations. */
export default function Languages({ own, others }: { own: string; others: readonly string[] }) {
  const { words, view } = usePanelWorkbench();
  const { locale } = useView();
  return (
    <div className={style.language}>
      <Select
        label={words.language}
        isLabelHidden
        choices={[
          { id: '', text: words.written({ language: nameOfLanguage(own) }) },
          ...others.map((id) => ({ id, text: nameOfLanguage(id) })),
        ]}
        value={locale ?? ''}
        onChange={(next) => view.set({ locale: next === '' ? null : next })}
      />
    </div>
  );
}

function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([document.documentElement.lang], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
