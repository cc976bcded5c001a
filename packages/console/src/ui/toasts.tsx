import { useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import { CrossIcon } from './icons.tsx';
import { Notice, type Tone } from './layout.tsx';
import { useUiTexts } from './texts.ts';
import style from './toasts.module.css';

interface Toast {
  id: number;
  tone: Tone;
  text: string;
}

let shown: readonly Toast[] = [];
let last = 0;
const watchers = new Set<() => void>();

function change(next: readonly Toast[]): void {
  shown = next;
  for (const watcher of watchers) watcher();
}

const remove = (id: number) => change(shown.filter((toast) => toast.id !== id));

/** Shows a toast, whichever screen is open. Failures and warnings stay until they are dismissed. */
export function toast(text: string, tone: Tone = 'good'): void {
  const id = ++last;
  change([...shown.slice(-3), { id, tone, text }]);
  if (tone !== 'bad' && tone !== 'warn') setTimeout(() => remove(id), 6000);
}

/** The region in which toasts appear and are announced. */
export function Toasts() {
  const texts = useUiTexts();
  const toasts = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => shown,
  );
  return (
    <section className={style.toasts} aria-label={texts.notifications} aria-live="polite">
      {toasts.map(({ id, tone, text }) => (
        <Notice
          key={id}
          tone={tone}
          actions={
            <IconButton label={texts.dismiss} onPress={() => remove(id)}>
              <CrossIcon />
            </IconButton>
          }
        >
          {text}
        </Notice>
      ))}
    </section>
  );
}
