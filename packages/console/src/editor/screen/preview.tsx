import { useState } from 'react';
import { DeviceChoice, firstDevice } from '../../shell/page-frame.tsx';
import { Row } from '../../ui/layout.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { DrawnDocument } from './drawn-document.tsx';
import { useWorkbench } from './workbench.ts';

/** The page alone, as visitors would see it, as wide as their devices. */
export default function Preview({ onClose }: { onClose(): void }) {
  const { words, editor } = useWorkbench();
  const [device, setDevice] = useState(firstDevice);
  return (
    <Dialog title={words.preview} isOpen onClose={onClose} size="large">
      <Row>
        <DeviceChoice value={device} onChange={setDevice} />
      </Row>
      <DrawnDocument document={editor.document} name="preview" label={words.preview} device={device} />
    </Dialog>
  );
}
