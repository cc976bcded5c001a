import { hasFiles } from '../ui/has-files.ts';

/** Prevents the browser from opening a file that was dropped outside a drop area, which would replace the console. */
function refuse(event: DragEvent): void {
  if (event.defaultPrevented || !hasFiles(event)) return;
  if ((event.target as Element).closest?.('input[type=file]')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}

window.addEventListener('dragover', refuse);
window.addEventListener('drop', refuse);
