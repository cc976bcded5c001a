import type { PageDocument } from '@waybill/page';
import { hasFiles } from '../../ui/has-files.ts';
import { toast } from '../../ui/toasts.tsx';
import { insertFragments } from '../clipboard/clipboard.ts';
import { describeFragments, findInsertPosition, findRefusal } from '../core/drop.ts';
import { createNodeId } from '../core/tree.ts';
import type { Workbench } from '../workbench/workbench.ts';
import type { CanvasSurface } from './canvas-surface.ts';
import { DropTarget } from './drop-target.ts';

/**
 * Accepts files dropped on the canvas or among the layers: pictures and videos become elements, other files links to
 * them. Returns the function that ends it.
 */
export function acceptFileDrops(workbench: Workbench, surface: CanvasSurface): () => void {
  const controller = new AbortController();
  let target: DropTarget | undefined;
  const end = () => {
    target?.end();
    target = undefined;
  };

  function onOver(event: DragEvent, isFrame: boolean): void {
    if (!hasFiles(event) || !workbench.canWrite) return;
    // A field for a picture handles the file itself.
    if (!isFrame && (event.target as Element).closest?.('[data-file-field]')) {
      end();
      return;
    }
    target ??= new DropTarget(
      workbench,
      surface,
      describeFragments([fileFragment(firstFileType(event))]),
      false,
    );
    const { clientX: x, clientY: y } = event;
    target.moveTo(isFrame ? surface.toWindowPoint({ x, y }) : { x, y });
    if (!target.position && !isFrame) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = target.position ? 'copy' : 'none';
  }

  function onDrop(event: DragEvent): void {
    const position = target?.position;
    end();
    if (!position || !hasFiles(event)) return;
    event.preventDefault();
    void insertFiles(workbench, surface, [...event.dataTransfer!.files], position);
  }

  const frame = surface.frame.document.defaultView!;
  for (const [target, isFrame] of [
    [window, false],
    [frame, true],
  ] as const) {
    const options = { signal: controller.signal, capture: true };
    target.addEventListener('dragenter', (event) => onOver(event as DragEvent, isFrame), options);
    target.addEventListener('dragover', (event) => onOver(event as DragEvent, isFrame), options);
    target.addEventListener('drop', (event) => onDrop(event as DragEvent), options);
    target.addEventListener(
      'dragleave',
      (event) => (event as DragEvent).relatedTarget === null && end(),
      options,
    );
  }
  return () => {
    end();
    controller.abort();
  };
}

async function insertFiles(
  workbench: Workbench,
  surface: CanvasSurface,
  files: readonly File[],
  requested: { readonly parentId: string; readonly index: number },
): Promise<void> {
  const { words } = surface;
  if (files.length === 0) return;
  toast(words.uploading({ count: files.length }), 'neutral');
  const fragments: PageDocument[] = [];
  for (const file of files) {
    const mediaId = await workbench.upload(file);
    if (mediaId === undefined) break;
    fragments.push(fileFragment(file.type, { storeId: workbench.storeId, mediaId, name: file.name }));
  }
  if (fragments.length === 0) return;
  const { vocabulary, state } = workbench.editor;
  const load = describeFragments(fragments);
  // The page may have changed during the upload.
  const isStillAllowed =
    state.tree.nodes.has(requested.parentId) &&
    !findRefusal(vocabulary, state.tree, requested.parentId, load);
  const position = isStillAllowed
    ? requested
    : findInsertPosition(vocabulary, state.tree, state.selection, load);
  if (position) insertFragments(workbench, fragments, position, words.inserted);
  else workbench.refuse({ pointer: '', message: words.clipboard.noPlace });
  surface.focus();
}

/** Returns the type of the first file, which is known before the files themselves. */
const firstFileType = ({ dataTransfer }: DragEvent): string => dataTransfer?.items[0]?.type ?? '';

function fileFragment(
  contentType: string,
  stored?: { readonly storeId: string; readonly mediaId: string; readonly name: string },
): PageDocument {
  const id = createNodeId();
  const name = stored?.name ?? '';
  const src = stored && { src: stored.mediaId };
  if (contentType.startsWith('image/'))
    return { rootId: id, nodes: [{ id, type: 'image', props: { specials: { ...src } } }] };
  if (contentType.startsWith('video/'))
    return {
      rootId: id,
      nodes: [{ id, type: 'video', props: { specials: { ...src, title: name } } }],
    };
  const url = stored && `/media/${stored.storeId}/${stored.mediaId}`;
  const specials = { text: name, ...(url && { href: { type: 'url', url } }) };
  return { rootId: id, nodes: [{ id, type: 'link', props: { specials }, children: [] }] };
}
