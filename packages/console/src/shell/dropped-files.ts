/** A file that is dropped beside what takes it would be opened in place of the console, or in a tab of its own. */
function refuse(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  if ((event.target as Element).closest?.('input[type=file]')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}

window.addEventListener('dragover', refuse);
window.addEventListener('drop', refuse);
