/** Whether the drag carries files. */
export const hasFiles = (event: DragEvent): event is DragEvent & { readonly dataTransfer: DataTransfer } =>
  event.dataTransfer?.types.includes('Files') === true;
