import style from './toolbar.module.css';
import { useWorkbench } from './workbench.ts';

/** Whether what is seen here is stored, in words. */
export function SaveState() {
  const { words } = useWorkbench();
  return <span className={style.saving}>{words.toolbar}</span>;
}
