import { useState } from 'react';
import { Dialog } from '../../ui/overlays.tsx';
import { Segments } from '../panels/segments.tsx';
import { PageFrame } from './page-frame.tsx';
import style from './preview.module.css';
import { useWorkbench, type ViewState } from './workbench.ts';

/** The page alone, as visitors would see it, as wide as their devices. */
export default function Preview({ onClose }: { onClose(): void }) {
  const { words, editor } = useWorkbench();
  const [width, setWidth] = useState<ViewState['width']>('base');
  return (
    <Dialog title={words.preview} isOpen onClose={onClose} size="large">
      <div className={style.head}>
        <Segments
          label={words.width}
          choices={(['base', 'tablet', 'mobile'] as const).map((id) => ({ id, text: words.widths[id] }))}
          value={width}
          onChange={(next) => setWidth(next as ViewState['width'])}
        />
      </div>
      <div className={`${style.page} ${style[width]}`}>
        <PageFrame document={editor.document} name="preview" label={words.preview} />
      </div>
    </Dialog>
  );
}
